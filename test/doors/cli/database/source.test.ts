import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { TELEGRAM_TOKEN } from "../../../support/fake-telegram.ts";
import { createMachine, type Finished, type Machine } from "../../../support/machine.ts";
import { SOURCE_ENVIRONMENT } from "../../../support/source-worlds/source-world.ts";
import { createTelegramWorld } from "../../../support/source-worlds/telegram-world.ts";

/** `kanalog source`, with bots and files from servers on this machine (sources, section 1). */

let machine: Machine;
let world: ReturnType<typeof createTelegramWorld>;
let page: Bun.Server<undefined>;
beforeEach(async () => {
  machine = createMachine();
  // The first command would note that it created the database.
  await machine.run(["plan", "list"]);
  world = createTelegramWorld();
  page = Bun.serve({
    ...{ port: 0, hostname: "127.0.0.1" },
    fetch: () => new Response("<html>Sign in</html>", { headers: { "content-type": "text/html" } }),
  });
});
afterEach(async () => {
  await world.server.stop();
  await page.stop(true);
  await machine.leave();
});

const source = (words: readonly string[], stdin?: string): Promise<Finished> =>
  machine.run(["source", ...words], {
    environment: SOURCE_ENVIRONMENT,
    ...(stdin !== undefined && { stdin }),
  });
const addPull = (...words: string[]) => source(["add", "pull", "--kind", "channels", ...words]);
const addBot = (stdin: string, ...words: string[]) =>
  source(["add", "telegram", "--token", "-", "--api", world.server.url, ...words], stdin);
const listed = async () => JSON.parse((await source(["list", "--json"])).out).results as object[];

test("run --json prints one document: the import's summary, or why there is none", async () => {
  const folder = join(machine.folder, "files");
  mkdirSync(folder);
  writeFileSync(join(folder, "channels.csv"), "handle,title,subscribers\none,Один,5\ntwo,,\n");
  const old = new Date(0);
  utimesSync(join(folder, "channels.csv"), old, old);
  await addPull("--folder", folder, "--name", "folder");
  const ran = await source(["run", "folder", "--json"]);
  expect(ran.exitCode).toBe(3);
  expect(JSON.parse(ran.out)).toMatchObject({
    summary: { read: 2, inserted: 1, rejected: 1, rejects: [{ column: "title" }] },
    ...{ last_error: "", unsettled: null },
  });
  const again = await source(["run", "folder", "--json"]);
  expect([again.exitCode, JSON.parse(again.out)]).toEqual([
    0,
    { summary: null, last_error: "", unsettled: null, set_aside: [] },
  ]);

  await addPull("--url", `${page.url}channels.csv`, "--name", "page");
  const failed = await source(["run", "page", "--json"]);
  expect(failed.exitCode).toBe(1);
  expect(JSON.parse(failed.out)).toMatchObject({
    summary: null,
    last_error: expect.stringContaining("The server answered with an HTML page"),
  });
});

test("list --json prints each source with its state, its times and its last error", async () => {
  await addPull("--url", `${page.url}channels.csv`, "--name", "file", "--every", "0 5 * * *");
  await addBot(`${TELEGRAM_TOKEN}\n`, "--name", "bot");
  await source(["run", "file"]);
  await source(["pause", "bot"]);
  const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+03:00$/);
  expect(await listed()).toEqual([
    {
      ...{ id: 1, name: "file", kind: "pull", rows: "channels", from: `${page.url}channels.csv` },
      ...{ schedule: "0 5 * * *", time_limit_seconds: 3_600, state: "failing", failures: 1 },
      ...{ last_success_at: null, last_run_at: time, next_run_at: time, lag_seconds: null },
      last_error:
        "The server answered with an HTML page instead of a file: does the address require signing in?",
    },
    {
      ...{ id: 2, name: "bot", kind: "telegram", rows: "", from: "@kanalog_bot" },
      ...{ schedule: "1m", time_limit_seconds: null, state: "paused", failures: 0 },
      ...{ last_success_at: null, last_run_at: null, next_run_at: null, lag_seconds: null },
      last_error: "",
    },
  ]);
});

test("a file may take an hour, unless the source says otherwise when it is added or later; a bot has no such limit", async () => {
  await addPull("--url", `${page.url}a.csv`, "--name", "usual");
  await addPull("--url", `${page.url}b.csv`, "--name", "long", "--time-limit", "6h");
  await addBot(`${TELEGRAM_TOKEN}\n`, "--name", "bot");
  const limits = async () =>
    (await listed()).map((one) => (one as { time_limit_seconds: number }).time_limit_seconds);
  expect(await limits()).toEqual([3_600, 21_600, null as never]);
  const changed = await source(["change", "usual", "--time-limit", "90m"]);
  expect(changed).toMatchObject({
    exitCode: 0,
    out: expect.stringMatching(/limit_seconds +5400\n/),
  });
  expect((await limits())[0]).toBe(5_400);
  expect(await source(["change", "bot", "--time-limit", "90m"])).toMatchObject({
    ...{ exitCode: 2, notes: expect.stringContaining("only files have a time limit") },
  });
  expect(await source(["change", "usual", "--time-limit", "never"])).toMatchObject({
    ...{ exitCode: 2, notes: expect.stringContaining("Enter a time from 1m to 31d") },
  });
});

test("an address that answers HTML is reported in one line, and nothing is imported", async () => {
  await addPull("--url", `${page.url}channels.csv`, "--name", "file");
  expect(await source(["run", "file"])).toMatchObject({
    ...{ exitCode: 1, out: "" },
    notes:
      "The server answered with an HTML page instead of a file: does the address require signing in?\n",
  });
  expect(machine.query("SELECT id FROM channels")).toEqual([]);
});

test.each([
  ["never comes", "0 0 30 2 *"],
  ["is not a schedule", "sometimes"],
  ["is too often", "10s"],
  ["has a sixth field", "0 0 0 * * *"],
])("a schedule that %s is refused in one line, and no source is created", async (_, every) => {
  const { exitCode, notes } = await addPull("--url", `${page.url}a.csv`, "--every", every);
  expect(exitCode).toBe(2);
  expect(notes.trim().split("\n")).toHaveLength(1);
  expect(notes).toContain("--every");
  expect(await listed()).toEqual([]);
});

test("a bot in no channel is read without an error, and a line says what it lacks", async () => {
  await addBot(`${TELEGRAM_TOKEN}\n`);
  const note =
    "@kanalog_bot is not known to be in any channel yet: make it administrator of one.\n";
  expect(await source(["run", "@kanalog_bot"])).toEqual({
    ...{ exitCode: 0, out: "Nothing new.\n", notes: note },
  });
  expect((await source(["show", "@kanalog_bot"])).notes).toBe(note);
  world.join?.();
  expect((await source(["run", "@kanalog_bot"])).notes).toBe("");
  expect((await source(["show", "@kanalog_bot"])).notes).toBe("");
});

const TOKEN = "110201544:BBxyzTcvCH1vGWJxfSeofSAs0K5PALDsbw";

test.each([
  ["empty", "\n"],
  ["a path that leaves the address", `${TOKEN}/../../x\n`],
])(
  "a token that is %s is refused in one line that does not show it, and no source is created",
  async (_, stdin) => {
    const { exitCode, out, notes } = await addBot(stdin);
    expect({ exitCode, out }).toEqual({ exitCode: 2, out: "" });
    expect(notes.trim().split("\n")).toHaveLength(1);
    expect(notes).not.toContain(TOKEN.slice(12, 20));
    expect(await listed()).toEqual([]);
    expect(world.server.requests).toBe(0);
  },
);

test("a second source with the same name or the same bot is refused", async () => {
  expect(await addPull("--url", `${page.url}a.csv`, "--name", "One")).toMatchObject({
    exitCode: 0,
  });
  const again = await addPull("--url", `${page.url}b.csv`, "--name", "one");
  expect(again).toMatchObject({ exitCode: 2, notes: expect.stringContaining("name: ") });
  expect(await addBot(`${TELEGRAM_TOKEN}\n`)).toMatchObject({ exitCode: 0 });
  const other = await addBot(`${TELEGRAM_TOKEN}\n`, "--name", "other");
  expect(other).toMatchObject({ exitCode: 2, notes: expect.stringContaining("token: ") });
  expect(await listed()).toHaveLength(2);
});

test("each command reports an unknown source in one line", async () => {
  for (const word of ["show", "run", "pause", "resume", "remove"]) {
    const { exitCode, notes } = await source([word, "nobody"]);
    expect({ word, exitCode, lines: notes.trim().split("\n").length }).toEqual({
      ...{ word, exitCode: 1, lines: 1 },
    });
  }
});

test("a demonstration needs neither token nor network, and is read as a bot is", async () => {
  const without = await source(["add", "telegram"]);
  expect(without).toMatchObject({ exitCode: 2, notes: expect.stringContaining("--demo") });
  expect((await source(["add", "telegram", "--demo"])).exitCode).toBe(0);
  const run = await source(["run", "@kanalog_demo_bot"]);
  expect(run).toMatchObject({ exitCode: 0, out: expect.stringContaining("0 rejected") });
  expect(machine.query("SELECT id FROM posts").length).toBeGreaterThan(2);
  expect((await source(["show", "@kanalog_demo_bot"])).out).toContain("reads: Демо: ");
});

test("a folder's bad file is set aside, which run and show say, and the next one is read", async () => {
  const folder = machine.path("inbox");
  mkdirSync(folder);
  for (const [name, text] of [
    ["1.csv", "no,such,columns\n"],
    ["2.csv", "id,title\n1,Один\n"],
  ] as const) {
    writeFileSync(join(folder, name), text);
    utimesSync(join(folder, name), new Date(0), new Date(0));
  }
  await addPull("--folder", folder, "--name", "inbox");
  const run = await source(["run", "inbox"]);
  expect(run.exitCode).toBe(3);
  expect(run.notes).toStartWith("set aside: 1.csv: The header has unknown columns");
  expect(machine.query("SELECT id FROM channels")).toHaveLength(1);
  expect((await source(["show", "inbox"])).out).toContain("set aside: 1.csv: ");
});
