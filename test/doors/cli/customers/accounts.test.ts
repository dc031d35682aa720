import { afterEach, beforeEach, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { createMachine, type Machine, PROGRAM } from "../../../support/machine.ts";

let machine: Machine;
beforeEach(() => {
  machine = createMachine();
});
afterEach(() => machine.leave());

type Run = "run" | "runProgram";

async function expectUsageFault(
  words: string[],
  expected: string,
  run: Run = "run",
): Promise<void> {
  const { exitCode, out, notes } = await machine[run](words);
  expect({ words, exitCode, out }).toEqual({ words, exitCode: 2, out: "" });
  expect(notes.trimEnd().split("\n"), words.join(" ")).toHaveLength(1);
  expect(notes).toContain(expected);
}

test("a plan that no longer ends says when it used to end", async () => {
  await machine.json(["org", "create", "--name", "Acme", "--plan", "start"]);
  await machine.json(["org", "plan", "1", "profi", "--ends", "2099-01-31"]);
  const endless = await machine.run(["org", "plan", "1", "profi", "--json"]);
  expect(JSON.parse(endless.out)).toMatchObject({ plan_ends_at: null });
  expect(endless.notes.trimEnd()).toBe(
    "The plan no longer has an end date. It used to end 2099-02-01T00:00:00+03:00.",
  );
  expect((await machine.run(["org", "plan", "1", "test"])).notes).toBe("");
});

test.skipIf(!existsSync("/dev/full"))(
  "a key that could not be printed is revoked, and the command says so in one line",
  async () => {
    await machine.customer();
    for (const words of [
      ["key", "create", "--member", "1"],
      ["org", "create", "--name", "Other", "--plan", "profi", "--owner", "eve@example.com"],
    ]) {
      const child = Bun.spawn([...PROGRAM, ...words], {
        ...{ cwd: machine.folder, env: { KANALOG_DB: machine.database } },
        ...{ stdout: Bun.file("/dev/full"), stderr: "pipe" },
      });
      const notes = await child.stderr.text();
      expect(await child.exited).toBe(1);
      expect(notes).toMatch(
        /^Standard output cannot be written: ENOSPC.* Nobody saw key \d+, so it was revoked: create another one\.\n$/,
      );
    }
    const revoked = machine.query("SELECT revoked_at IS NOT NULL AS ended FROM keys ORDER BY id");
    expect(revoked).toEqual([{ ended: 0 }, { ended: 1 }, { ended: 1 }]);
  },
);

test("a name that is taken is refused, unless said to be meant", async () => {
  await machine.json(["org", "create", "--name", "Acme", "--plan", "start"]);
  const again = ["org", "create", "--name", "ACME", "--plan", "test", "--owner", "ada@example.com"];
  const refused = await machine.run(again);
  expect([refused.exitCode, refused.out]).toEqual([2, ""]);
  expect(refused.notes).toContain("Organization 1 has this name already.");
  expect(machine.query("SELECT count(*) AS n FROM people")).toEqual([{ n: 0 }]);
  expect(await machine.json([...again, "--same-name"])).toMatchObject({ id: 2, name: "ACME" });
});

test("a customer's member is made staff only if that is meant", async () => {
  await machine.json(["org", "create", "--name", "Acme", "--plan", "start"]);
  await machine.json(["member", "add", "1", "--email", "ada@example.com", "--role", "owner"]);
  const asked = await machine.run(["staff", "add", "ada@example.com"]);
  expect(asked.exitCode).toBe(2);
  expect(asked.notes).toContain("ada@example.com belongs to the customer Acme.");
  expect(machine.query("SELECT is_staff FROM people")).toEqual([{ is_staff: 0 }]);
  expect((await machine.run(["staff", "add", "ada@example.com", "--yes"])).exitCode).toBe(0);
  expect(machine.query("SELECT is_staff FROM people")).toEqual([{ is_staff: 1 }]);
  expect((await machine.run(["staff", "add", "olga@example.com"])).exitCode).toBe(0);
});

test("the settings of the first day are listed, and with --all those for special cases", async () => {
  const first = await machine.run(["config"]);
  expect(first.out).toContain("KANALOG_SMTP_URL");
  expect(first.out).not.toContain("KANALOG_LAG_MAX");
  expect((await machine.run(["config", "--all"])).out).toContain("KANALOG_LAG_MAX");
});

test("a key is stored only as a hash: it appears in no list, and nowhere in the database's files", async () => {
  const { key } = await machine.customer();
  expect((await machine.run(["key", "list", "1"])).out).not.toContain(key);
  const files = ["kanalog.db", "kanalog.db-wal"].filter((name) => machine.exists(name));
  const bytes = Buffer.concat(files.map((name) => readFileSync(machine.path(name))));
  expect(bytes.includes(key.slice(0, 11))).toBe(true);
  expect(bytes.includes(key)).toBe(false);
  // Nor does any part that the prefix does not show.
  expect(bytes.includes(key.slice(11))).toBe(false);
  expect(bytes.includes(key.slice(11, -6))).toBe(false);
});

test("without --json, an object is printed as one line per field, and a list as a table", async () => {
  const made1 = await machine.run(["org", "list"]);
  expect(made1.notes).toBe(`Created a new database, ${machine.database}.\nNone.\n`);
  const none = await machine.run(["org", "list"]);
  expect(none).toEqual({ exitCode: 0, out: "", notes: "None.\n" });
  const made = await machine.run(["org", "create", "--name", "Acme", "--plan", "growth"]);
  expect(made.out.split("\n")).toContain("name            Acme");
  expect(made.out.split("\n")).toContain("archived_at     -");
  const plans = (await machine.run(["plan", "list"])).out.trimEnd().split("\n");
  expect(plans.map((line) => line.split(/ +/)[0])).toEqual([
    ...["plan", "test", "start", "growth", "profi"],
  ]);
  await machine.json(["member", "add", "1", "--email", "a@example.com", "--role", "owner"]);
  const key = await machine.run(["key", "create", "--member", "1"]);
  expect(key.out).toMatch(/^key +knl_ro_\w{38}$/m);
  expect(key.notes).toContain("cannot be shown again");
});

test("the plans are those of the contract", async () => {
  const { results } = await machine.json<{ results: object[] }>(["plan", "list"]);
  const row = (plan: string, numbers: (number | boolean | null)[]) => ({
    plan,
    requests_per_second: numbers[0],
    requests_per_period: numbers[1],
    posts: numbers[2],
    history_days: numbers[3],
    webhooks: numbers[4],
    webhook_channels: numbers[5],
    alerts: numbers[6],
    ...{ database_ms_per_second: 250, lock_ms_per_second: 50 },
    export: plan === "profi",
  });
  expect(results).toEqual([
    row("test", [2, 1000, false, 30, 0, 0, 0]),
    row("start", [5, 30_000, true, null, 0, 0, 0]),
    row("growth", [10, 150_000, true, null, 1, 500, 10]),
    row("profi", [30, 1_000_000, true, null, 5, 5000, 200]),
  ]);
});

test("an unknown id is reported in one line, with exit 1", async () => {
  await machine.customer();
  const { exitCode, out, notes } = await machine.runProgram(["org", "show", "9"]);
  expect({ exitCode, out }).toEqual({ exitCode: 1, out: "" });
  expect(notes.trimEnd()).toBe("Organization 9 was not found.");
});

test("wrong usage is reported in one line that says what is wrong, with exit 2", async () => {
  await machine.customer();
  await expectUsageFault(["nonsense"], "nonsense", "runProgram");
  for (const [words, expected] of [
    [["org", "create", "--name", "  ", "--plan", "test"], "blank"],
    [["org", "show", "1", "2"], "too many arguments"],
    [["org", "plan", "1", "gold"], "test, start, growth, profi"],
    [["org", "plan", "1", "start", "--ends", "2025-02-30"], "YYYY-MM-DD"],
    [["org", "plan", "1", "start", "--ends", "2020-01-01"], "over already"],
    [["org", "list", "--verbose"], "--verbose"],
    [["member", "add", "1", "--email", "nobody", "--role", "owner"], "email"],
    [["member", "add", "1", "--email", "ADA@example.com", "--role", "owner"], "already"],
    [["key", "create", "--member", "1", "--expires", "2020-01-01"], "over already"],
    [["key", "create", "--member", "1", "--expires", "soon"], "YYYY-MM-DD"],
    [["key", "create", "--member", "1", "--name", "k".repeat(201)], "200 characters"],
    [["key", "create", "--member", "1", "--name", "a\u001bb"], "Control characters"],
    [["serve", "--verbose"], "--verbose"],
  ] as [string[], string][]) {
    await expectUsageFault(words, expected);
  }
  expect(await machine.json(["org", "list"])).toMatchObject({ results: [{ plan: "profi" }] });
  expect((await machine.json<{ results: [] }>(["member", "list", "1"])).results).toHaveLength(1);
  expect((await machine.json<{ results: [] }>(["key", "list", "1"])).results).toHaveLength(1);
});

test("a table names what an operator's key may do", async () => {
  const words = ["staff", "key", "create", "--name", "crawler", "--can", "read,data"];
  expect((await machine.run(words)).out).toMatch(/^can +read,data$/m);
  expect((await machine.run(["staff", "key", "list"])).out).toContain("read,data");
});

test("the help lists the commands of the first day, with --all those that exist, and each has its own help", async () => {
  const first = await machine.run(["--help"]);
  expect([...first.out.matchAll(/^ {2}([a-z][a-z-]+)/gm)].map(([, name]) => name)).toEqual([
    ...["start", "serve", "import", "sample", "org", "key", "source", "backup", "staff", "config"],
    "help",
  ]);
  expect(first.out).toContain("kanalog help --all");
  expect((await machine.run(["help", "key", "create"])).out).toContain("Usage: kanalog key create");
  expect(await machine.run(["help", "nothing"])).toMatchObject({ exitCode: 2 });
  const help = await machine.run(["help", "--all"]);
  expect(help.exitCode).toBe(0);
  const listed = [...help.out.matchAll(/^ {2}([a-z][a-z-]+)/gm)].map((match) => match[1] ?? "");
  expect(listed).toEqual([
    ...["start", "serve", "import", "export", "sample", "org", "member", "key", "plan"],
    ...["plan-offer", "plan-request", "webhook", "alert", "audit", "channel", "post"],
    ...["import-run", "source", "job", "backup", "person", "staff", "operator-webhook", "recount"],
    ...["search", "cluster", "restore", "check", "health", "doctor", "upgrade", "mcp"],
    ...["conformance", "openapi", "config", "help"],
  ]);
  const helps = await Promise.all(
    listed
      .filter((name) => name !== "help")
      .map(async (name) => ({ name, ...(await machine.run([name, "--help"])) })),
  );
  for (const { name, exitCode, out } of helps) {
    expect({ name, exitCode }).toEqual({ name, exitCode: 0 });
    expect(out).toContain(`Usage: kanalog ${name}`);
  }
  expect((await machine.run([])).exitCode).toBe(2);
  expect((await machine.run(["org"])).exitCode).toBe(2);
  // Asking for help opens no database.
  expect(machine.exists("kanalog.db")).toBe(false);
});
