import { afterEach, beforeEach, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { createMachine, type Machine, PROGRAM } from "../../../support/machine.ts";

let machine: Machine;
beforeEach(() => {
  machine = createMachine();
});
afterEach(() => machine.leave());

type Run = "run" | "runProgram";

const INSTANT = expect.stringMatching(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\+03:00$/);

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

async function expectFailure(words: string[], expected: string, run: Run = "run"): Promise<void> {
  const { exitCode, out, notes } = await machine[run](words);
  expect({ words, exitCode, out }).toEqual({ words, exitCode: 1, out: "" });
  expect(notes.trimEnd()).toBe(expected);
}

test("organizations are created, shown, listed, given plans, archived and restored", async () => {
  const made = await machine.json(["org", "create", "--name", " Acme ", "--plan", "start"]);
  expect(made).toEqual({
    ...{ id: 1, name: "Acme", plan: "start", plan_ends_at: null, period_ends_at: INSTANT },
    ...{ used: 0, archived_at: null },
  });
  expect(await machine.json(["org", "show", "1"])).toEqual(made);
  expect(await machine.json(["org", "list"])).toEqual({ results: [made] });

  const planned = await machine.json(["org", "plan", "1", "profi", "--ends", "2099-01-31"]);
  expect(planned).toMatchObject({ plan: "profi", plan_ends_at: "2099-02-01T00:00:00+03:00" });
  expect(await machine.json(["org", "archive", "1"])).toMatchObject({ archived_at: INSTANT });
  expect(await machine.json(["org", "restore", "1"])).toMatchObject({ archived_at: null });
  const endless = await machine.run(["org", "plan", "1", "profi", "--json"]);
  expect(JSON.parse(endless.out)).toMatchObject({ plan_ends_at: null });
  expect(endless.notes.trimEnd()).toBe(
    "The plan no longer has an end date. It used to end 2099-02-01T00:00:00+03:00.",
  );
  expect((await machine.run(["org", "plan", "1", "test"])).notes).toBe("");
});

test("members are added, listed, given roles, suspended and restored", async () => {
  await machine.json(["org", "create", "--name", "Acme", "--plan", "start"]);
  const added = await machine.json([
    ...["member", "add", "1", "--email", "ada@example.com", "--name", "Ada", "--role", "owner"],
  ]);
  expect(added).toEqual({
    ...{ id: 1, organization: 1, email: "ada@example.com", name: "Ada", role: "owner" },
    ...{ created_at: INSTANT, suspended_at: null },
  });
  expect(await machine.json(["member", "list", "1"])).toEqual({ results: [added] });
  const { out, notes } = await machine.run(["member", "role", "1", "administrator", "--json"]);
  expect(notes).toBe(
    "The organization has no owner now: appoint one with `kanalog member role`.\n",
  );
  const changed = JSON.parse(out);
  expect(changed).toEqual({ ...added, role: "administrator" });
  expect(await machine.json(["member", "suspend", "1"])).toMatchObject({ suspended_at: INSTANT });
  expect(await machine.json(["member", "restore", "1"])).toEqual(changed);
});

test("keys are created, listed without their secret, and revoked", async () => {
  await machine.customer();
  const made = await machine.json<{ key: string }>([
    ...["key", "create", "--member", "1", "--name", "CI", "--write", "--expires", "2099-12-31"],
  ]);
  const { key, ...rest } = made;
  expect(key).toMatch(/^knl_rw_[0-9A-Za-z]{38}$/);
  expect(rest as object).toEqual({
    ...{ id: 2, member: 1, name: "CI", prefix: key.slice(0, 11), access: "read_write" },
    ...{ created_at: INSTANT, last_used_at: null, expires_at: "2100-01-01T00:00:00+03:00" },
    revoked_at: null,
  });
  const listed = await machine.run(["key", "list", "1", "--json"]);
  expect(listed.out).not.toContain(key);
  expect(JSON.parse(listed.out).results).toEqual([
    expect.objectContaining({ id: 1, access: "read_only", expires_at: null }),
    rest,
  ]);
  expect(await machine.json(["key", "revoke", "2"])).toEqual({ ...rest, revoked_at: INSTANT });
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

test("a key is stored only as a hash: it appears nowhere in the database's files", async () => {
  const { key } = await machine.customer();
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
  await expectFailure(["org", "show", "9"], "Organization 9 was not found.", "runProgram");
  for (const [words, expected] of [
    [["org", "plan", "9", "start"], "Organization 9 was not found."],
    [["org", "archive", "9"], "Organization 9 was not found."],
    [["member", "list", "9"], "Organization 9 was not found."],
    [
      ["member", "add", "9", "--email", "b@b.example", "--role", "owner"],
      "Organization 9 was not found.",
    ],
    [["org", "show", "nobody"], 'There is no organization "nobody".'],
    [["member", "suspend", "9"], "Member 9 was not found."],
    [["member", "role", "9", "owner"], "Member 9 was not found."],
    [["key", "create", "--member", "9"], "Member 9 was not found."],
    [["key", "list", "9"], "Organization 9 was not found."],
    [["key", "revoke", "9"], "Key 9 was not found."],
  ] as [string[], string][]) {
    await expectFailure(words, expected);
  }
});

test("wrong usage is reported in one line that says what is wrong, with exit 2", async () => {
  await machine.customer();
  await expectUsageFault(["nonsense"], "nonsense", "runProgram");
  for (const [words, expected] of [
    [["org", "create", "--plan", "start"], "--name"],
    [["org", "create", "--name", "A"], "--plan"],
    [["org", "create", "--name", "A", "--plan", "gold"], "test, start, growth, profi"],
    [["org", "create", "--name", "  ", "--plan", "test"], "blank"],
    [["org", "show"], "organization"],
    [["org", "show", "1", "2"], "too many arguments"],
    [["org", "plan", "1", "gold"], "test, start, growth, profi"],
    [["org", "plan", "1", "start", "--ends", "2025-02-30"], "YYYY-MM-DD"],
    [["org", "plan", "1", "start", "--ends", "2020-01-01"], "over already"],
    [["org", "list", "--verbose"], "--verbose"],
    [
      ["member", "add", "1", "--email", "b@b.example", "--role", "boss"],
      "owner, administrator, member",
    ],
    [["member", "add", "1", "--email", "nobody", "--role", "owner"], "email"],
    [["member", "add", "1", "--email", "ADA@example.com", "--role", "owner"], "already"],
    [["member", "role", "1", "boss"], "owner, administrator, member"],
    [["key", "create"], "--member"],
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

test("the help lists only commands that exist, and each has its own help", async () => {
  const help = await machine.run(["--help"]);
  expect(help.exitCode).toBe(0);
  const listed = [...help.out.matchAll(/^ {2}([a-z][a-z-]+)/gm)].map((match) => match[1] ?? "");
  expect(listed).toEqual([
    ...[
      "start",
      "serve",
      "import",
      "export",
      "source",
      "channel",
      "post",
      "sample",
      "org",
      "member",
      "key",
      "staff",
      "plan",
    ],
    ...[
      "webhook",
      "operator-key",
      "recount",
      "search",
      "cluster",
      "backup",
      "restore",
      "check",
      "health",
    ],
    ...["mcp", "openapi", "config", "help"],
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
