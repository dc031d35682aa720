import { afterAll, beforeAll, expect, test } from "bun:test";
import { createMachine, type Machine } from "../../../support/machine.ts";

let machine: Machine;
beforeAll(async () => {
  machine = createMachine();
});
afterAll(() => machine.leave());

interface Made {
  id: number;
  member: number;
  key_id: number;
  key: string;
  link: string | null;
}

const create = (name: string, owner: string, ...more: string[]): Promise<Made> =>
  machine.json(["org", "create", "--name", name, "--plan", "growth", "--owner", owner, ...more]);

test("one command creates a customer: organization, owner, key and a link for choosing a password", async () => {
  const made = await create("Acme", "ada@example.com");
  expect(made.key).toMatch(/^knl_ro_[0-9A-Za-z]{38}$/);
  expect(made.link).toContain("/account/choose-password/?token=");
  const members = await machine.json(["member", "list", "Acme"]);
  expect(members).toMatchObject({
    results: [{ id: made.member, email: "ada@example.com", role: "owner" }],
  });
  expect(await machine.json(["key", "list", "acme"])).toMatchObject({
    results: [{ id: made.key_id, member: made.member, access: "read_only" }],
  });
});

test("a customer is created completely or not at all", async () => {
  const before = await machine.json(["org", "list"]);
  const words = ["org", "create", "--name", "Half", "--plan", "test", "--owner", "no address"];
  expect((await machine.run(words)).exitCode).toBe(2);
  expect(await machine.json(["org", "list"])).toEqual(before);
});

test("commands accept names of organizations, members and keys as well as their numbers", async () => {
  const { id, member, key_id } = await create("Books & Co", "bob@example.com");
  expect(await machine.json(["org", "show", "books & co"])).toMatchObject({ id });
  expect(await machine.json(["org", "plan", "Books & Co", "profi"])).toMatchObject({ id });
  expect(await machine.json(["member", "role", "BOB@example.com", "member"])).toMatchObject({
    id: member,
  });
  const named = ["key", "create", "--member", "bob@example.com", "--name", "nightly"];
  const second = await machine.json<{ id: number; prefix: string }>(named);
  expect(await machine.json(["key", "revoke", "nightly"])).toMatchObject({ id: second.id });
  const keys = await machine.json<{ results: { id: number; prefix: string }[] }>([
    ...["key", "list", "Books & Co"],
  ]);
  const first = keys.results.find((key) => key.id === key_id);
  expect(await machine.json(["key", "revoke", first?.prefix ?? ""])).toMatchObject({ id: key_id });
});

test("an organization with the name of others is refused with its number, or created on purpose", async () => {
  const one = await create("Same", "d@example.com");
  const words = ["org", "create", "--name", " same ", "--plan", "start"];
  for (const owner of [[], ["--owner", "e@example.com"]]) {
    const refused = await machine.run([...words, ...owner]);
    expect(refused.exitCode).toBe(2);
    expect(refused.notes).toContain(`Organization ${one.id} has this name already`);
    expect((await machine.run([...words, ...owner, "--same-name"])).exitCode).toBe(0);
  }
  expect((await machine.run(["org", "create", "--name", "Only", "--plan", "start"])).notes).toBe(
    "",
  );
});

test("an ambiguous name is exit 2 with the numbers; an unknown name or number is exit 1", async () => {
  const [one, other] = [
    await create("Twin", "c@example.com"),
    await create("twin", "c@example.com", "--same-name"),
  ];
  const several = await machine.run(["org", "show", "Twin"]);
  expect(several.exitCode).toBe(2);
  expect(several.notes).toContain(`give the number: ${one.id} (Twin), ${other.id} (twin)`);
  const member = await machine.run(["member", "suspend", "c@example.com"]);
  expect(member.exitCode).toBe(2);
  expect(member.notes).toContain(`${one.member} (of Twin), ${other.member} (of twin)`);
  for (const words of [
    ["org", "show", "nobody"],
    ["member", "suspend", "nobody@example.com"],
    ["key", "revoke", "none"],
    ["webhook", "enable", "https://nowhere.example.com/"],
    ["org", "show", "999"],
    ["member", "suspend", "999"],
    ["key", "revoke", "999"],
    ["webhook", "enable", "999"],
    ["channel", "show", "999"],
    ["channel", "show", "@nobody"],
    ["source", "show", "nobody"],
    ["post", "delete", "999"],
  ]) {
    const { exitCode, notes } = await machine.run(words);
    expect(exitCode, words.join(" ")).toBe(1);
    expect(notes).toMatch(/^There is no | was not found\.$/m);
  }
});

test("sample remove removes the sample, and does nothing when called again", async () => {
  expect(await machine.json(["sample", "remove"])).toEqual({ removed: 0 });
  const server = await machine.serve(["start", "--db", machine.path("sample.db")]);
  await server.stop();
  const environment = { KANALOG_DB: machine.path("sample.db") };
  const removed = await machine.run(["sample", "remove", "--json"], { environment });
  expect(JSON.parse(removed.out)).toEqual({ removed: 9 });
  const again = await machine.run(["sample", "remove", "--json"], { environment });
  expect(JSON.parse(again.out)).toEqual({ removed: 0 });
});
