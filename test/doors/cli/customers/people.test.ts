import { afterEach, beforeEach, expect, test } from "bun:test";
import { createMachine, type Machine } from "../../../support/machine.ts";
import { until } from "../../../support/until.ts";

/** Commands about people of the account site. */
let machine: Machine;
beforeEach(() => {
  machine = createMachine();
});
afterEach(() => machine.leave());

const people = () =>
  machine.query<{ email: string; is_staff: number }>("SELECT email, is_staff FROM people");
const hashOf = () => {
  const [row] = machine.query<{ password: string }>("SELECT password FROM credentials");
  return row?.password ?? "";
};

test("staff are added with a link for choosing a password, and removed except for the last one", async () => {
  const environment = { KANALOG_BASE_URL: "https://data.example.com/kanalog" };
  const added = await machine.run(["staff", "add", "Boss@example.com", "--json"], { environment });
  const { link, ...rest } = JSON.parse(added.out);
  expect(rest).toMatchObject({ email: "boss@example.com", is_staff: true });
  expect(link).toMatch(
    /^https:\/\/data\.example\.com\/kanalog\/account\/choose-password\/\?token=\w+/,
  );
  expect(people()).toEqual([{ email: "boss@example.com", is_staff: 1 }]);

  const other = await machine.run(["staff", "add", "other@example.com"], {
    environment: { KANALOG_PORT: "9090" },
  });
  expect(other.out).toMatch(
    /^link +http:\/\/127\.0\.0\.1:9090\/account\/choose-password\/\?token=\w+$/m,
  );
  expect(other.notes).toContain(
    "The link assumes that the appliance is reached at http://127.0.0.1:9090: KANALOG_BASE_URL is not set.",
  );
  const removed = await machine.json(["staff", "remove", "boss@example.com"]);
  expect(removed).toMatchObject({ email: "boss@example.com", is_staff: false });
  expect(machine.query("SELECT person, action, target FROM audit_log")).toEqual([
    { person: "", action: "staff.add", target: "person boss@example.com" },
    { person: "", action: "staff.add", target: "person other@example.com" },
    { person: "", action: "staff.remove", target: "person boss@example.com" },
  ]);
  const last = await machine.run(["staff", "remove", "other@example.com"]);
  expect(last).toMatchObject({
    exitCode: 1,
    notes: "other@example.com is the last member of staff.\n",
  });
  const nobody = await machine.run(["staff", "remove", "nobody@example.com"]);
  expect(nobody.exitCode).toBe(1);
  expect((await machine.run(["staff", "add", "boss"])).exitCode).toBe(2);
});

test("an owner's link has the address that the settings name, if they name one", async () => {
  const create = async (name: string, environment: Record<string, string>) => {
    const owner = `${name}@example.com`;
    const words = ["org", "create", "--name", name, "--plan", "test", "--owner", owner, "--json"];
    const { out, notes } = await machine.run(words, { environment });
    return { address: JSON.parse(out).link.split("/account/")[0], notes };
  };
  expect((await create("a", { KANALOG_PORT: "8080" })).address).toBe("http://127.0.0.1:8080");
  const everywhere = { KANALOG_HOST: "0.0.0.0", KANALOG_PORT: "81" };
  expect((await create("b", everywhere)).address).toBe("http://localhost:81");
  const set = await create("c", { ...everywhere, KANALOG_BASE_URL: "https://data.example.com" });
  expect(set.address).toBe("https://data.example.com");
  expect(set.notes).not.toContain("assumes");
  const free = await create("d", { KANALOG_PORT: "0" });
  expect(free.address).toBe("");
  expect(free.notes).toContain("Put the appliance's address before it.");
});

test("somebody with a password becomes staff without a link", async () => {
  const { member } = await machine.customer();
  const set = ["member", "password", String(member), "--stdin"];
  expect((await machine.run(set, { stdin: "correct horse battery\n" })).exitCode).toBe(0);
  const added = await machine.json(["staff", "add", "ada@example.com", "--yes"]);
  expect(added).toMatchObject({ email: "ada@example.com", is_staff: true, link: null });
});

test("a member's password is set from standard input, creating the person, and ends their sessions", async () => {
  const { member } = await machine.customer();
  const set = ["member", "password", String(member), "--stdin", "--json"];
  const first = await machine.run(set, { stdin: "correct horse battery\nsecond line\n" });
  expect(JSON.parse(first.out)).toMatchObject({ id: member, email: "ada@example.com" });
  expect(first.out + first.notes).not.toContain("battery");
  expect(await Bun.password.verify("correct horse battery", hashOf())).toBe(true);

  const db = machine.open();
  db.exec(`INSERT INTO sessions (id, token, person_id, expires_at, created_at, updated_at)
    SELECT 's', 't', id, '2099', '', '' FROM people`);
  db.close();
  expect((await machine.run(set, { stdin: "another good one" })).exitCode).toBe(0);
  expect(await Bun.password.verify("another good one", hashOf())).toBe(true);
  expect(machine.query("SELECT 1 FROM sessions")).toEqual([]);
});

test("a password that is too short, or cannot be asked for without a terminal, is refused", async () => {
  const { member } = await machine.customer();
  const set = ["member", "password", String(member)];
  for (const stdin of ["short\n", "", "\n"]) {
    const refused = await machine.run([...set, "--stdin"], { stdin });
    expect(refused).toMatchObject({ exitCode: 2, out: "" });
    expect(refused.notes).toContain("at least 10 characters");
  }
  const refusal = await machine.run(set);
  expect(refusal).toMatchObject({ exitCode: 2, notes: expect.stringContaining("--stdin") });
  const missing = await machine.run(["member", "password", "99", "--stdin"]);
  expect(missing).toMatchObject({ exitCode: 1, notes: "Member 99 was not found.\n" });
  expect(machine.query("SELECT 1 FROM credentials")).toEqual([]);
});

test("on a terminal the password is asked for twice, and not echoed", async () => {
  const { member } = await machine.customer();
  let seen = "";
  const decoder = new TextDecoder();
  const main = new URL("../../../../src/main.ts", import.meta.url).pathname;
  const child = Bun.spawn([process.execPath, main, "member", "password", String(member)], {
    cwd: machine.folder,
    env: { PATH: process.env["PATH"] ?? "", HOME: machine.folder, KANALOG_DB: machine.database },
    terminal: {
      data: (_terminal, bytes) => {
        seen += decoder.decode(bytes);
      },
    },
  });
  const times = (question: string) => seen.split(question).length - 1;
  const type = (text: string) => child.terminal?.write(`${text}\r`);
  await until(() => times("New password:") === 1);
  type("correct horse battery");
  await until(() => times("Once more:") === 1);
  type("a mistyped password");
  await until(() => times("New password:") === 2);
  type("correct horse battery");
  await until(() => times("Once more:") === 2);
  type("correct horse battery");
  expect(await child.exited).toBe(0);
  expect(seen).not.toContain("battery");
  expect(seen).toContain("The passwords differ.");
  expect(await Bun.password.verify("correct horse battery", hashOf())).toBe(true);
});
