import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { createMachine, type Machine, type Serving } from "../../../support/machine.ts";
import { until } from "../../../support/until.ts";

/** Runs the commands while an appliance serves, whose answers must change at once. */
let machine: Machine;
let serving: Serving;
let key: string;
beforeAll(async () => {
  machine = createMachine();
  ({ key } = await machine.customer());
  serving = await machine.serve();
});
afterAll(async () => {
  await serving.stop();
  await machine.leave();
});

let next = 0;
let from: number;
let into: number;
/** Creates two channels for each test. */
beforeEach(async () => {
  next += 10;
  [from, into] = [next, next + 1];
  const file = [
    "id,msgr_id,handle,title,subscribers",
    `${from},,from_${from},Прежний ${from},5`,
    `${into},-100123456${String(into).padStart(4, "0")},into_${into},Новый ${into},6`,
  ];
  machine.write("channels.csv", `${file.join("\n")}\n`);
  machine.write(
    "posts.csv",
    `channel,msgr_post_id,published_at\n${from},1,2026-11-19T10:00:00Z\n${from},2,2026-11-19T11:00:00Z\n`,
  );
  machine.write("stats.csv", `channel,day,subscribers\n${from},2026-11-18,5\n`);
  for (const kind of ["channels", "posts", "stats"]) {
    await machine.json(["import", kind, `${kind}.csv`]);
  }
});

const status = async (path: string): Promise<number> =>
  (await serving.get(`/v1/msgr/channels/${path}/`, key)).status;
const channelCommand = (...words: unknown[]) => machine.run(["channel", ...words.map(String)]);

test("show finds a channel by number, @handle, link or messenger id, and counts its posts and days", async () => {
  for (const name of [from, `@FROM_${from}`, `https://t.me/from_${from}/1`, `from_${from}.t.me`]) {
    expect(await machine.json(["channel", "show", String(name)])).toMatchObject({
      ...{ id: from, msgr_id: null, handle: `from_${from}`, is_public: true },
      ...{ posts: 2, days: 1, webhooks: 0, former_handles: "" },
    });
  }
  const bare = `123456${String(into).padStart(4, "0")}`;
  for (const name of [bare, `-100${bare}`, `t.me/c/${bare}/4`]) {
    expect(await machine.json(["channel", "show", name])).toMatchObject({
      id: into,
      msgr_id: bare,
    });
  }
  expect(await channelCommand("show", "@nobody")).toMatchObject({
    exitCode: 1,
    notes: "Channel @nobody was not found.\n",
  });
});

test("list prints every channel by number, including hidden ones", async () => {
  await channelCommand("hide", from);
  const { results } = await machine.json<{ results: { id: number }[] }>(["channel", "list"]);
  expect(results.map(({ id }) => id)).toEqual(results.map(({ id }) => id).sort((a, b) => a - b));
  expect(results).toContainEqual(expect.objectContaining({ id: from, is_public: false }));
  const { out } = await channelCommand("list");
  expect(out.replaceAll(/ {2,}/g, "\t")).toContain(
    `${from}\t-\tfrom_${from}\tПрежний ${from}\tchannel\t5\tfalse\n`,
  );
});

test("hide and unhide remove a channel from all answers and bring it back, at once", async () => {
  expect(await status(`from_${from}`)).toBe(200);
  expect(await machine.json(["channel", "hide", `@from_${from}`])).toMatchObject({
    id: from,
    is_public: false,
  });
  expect(await status(`from_${from}`)).toBe(404);
  expect(await status(String(from))).toBe(404);
  await machine.json(["channel", "unhide", String(from)]);
  expect(await status(`from_${from}`)).toBe(200);
});

test("delete and merge say what they will do, and without a terminal do it only with --yes", async () => {
  const deletion = `This deletes channel ${from} (@from_${from}, "Прежний ${from}") with 2 posts and 1 day of statistics; 0 webhooks watch it. It cannot be undone.\n`;
  const merge = `This moves 2 posts and 1 day of statistics of channel ${from} (@from_${from}, "Прежний ${from}") to channel ${into} (@into_${into}, "Новый ${into}"), with its handles; 0 webhooks watch it. Number ${from} then no longer exists. It cannot be undone.\n`;
  const refusal =
    "Standard input is not a terminal, so confirmation cannot be asked for: use --yes to confirm. Nothing was changed.\n";
  const before = machine.query("SELECT * FROM channels JOIN channel_cards USING (id)");
  expect(await channelCommand("delete", from)).toEqual({
    exitCode: 2,
    out: "",
    notes: deletion + refusal,
  });
  expect(await channelCommand("merge", from, into)).toEqual({
    exitCode: 2,
    out: "",
    notes: merge + refusal,
  });
  expect(machine.query("SELECT * FROM channels JOIN channel_cards USING (id)")).toEqual(before);

  const merged = await channelCommand("merge", from, into, "--yes", "--json");
  expect(merged).toMatchObject({ exitCode: 0, notes: merge });
  expect(JSON.parse(merged.out)).toMatchObject({
    ...{ id: into, handle: `into_${into}`, former_handles: `from_${from}` },
    ...{ posts: 2, days: 1 },
  });
  // What asks nothing takes it too.
  expect(await channelCommand("restore", from, "--yes")).toMatchObject({ exitCode: 0 });
});

test("on a terminal, delete asks, and proceeds only if the answer is yes", async () => {
  const main = new URL("../../../../src/main.ts", import.meta.url).pathname;
  for (const [typed, exitCode, left] of [
    ["n", 1, 200],
    ["\u0004", 1, 200],
    ["y", 0, 404],
  ] as const) {
    let seen = "";
    const decoder = new TextDecoder();
    const child = Bun.spawn([process.execPath, main, "channel", "delete", String(from)], {
      cwd: machine.folder,
      env: { PATH: process.env["PATH"] ?? "", HOME: machine.folder, KANALOG_DB: machine.database },
      terminal: {
        data: (_terminal, bytes) => {
          seen += decoder.decode(bytes);
        },
      },
    });
    await until(() => seen.includes("Continue? [y/N] "));
    expect(seen).toContain(`This deletes channel ${from}`);
    child.terminal?.write(`${typed}\r`);
    expect(await child.exited).toBe(exitCode);
    expect(seen.includes("Nothing was changed.")).toBe(exitCode === 1);
    expect(await status(String(from))).toBe(left);
  }
});

test("a merged or deleted channel disappears from the serving process at once", async () => {
  for (const path of [from, `from_${from}`, into, `into_${into}`]) {
    expect(await status(String(path))).toBe(200);
  }
  await channelCommand("merge", from, into, "--yes");
  expect(await status(String(from))).toBe(404);
  const found = await serving.get(`/v1/msgr/channels/from_${from}/`, key);
  expect(await found.json()).toMatchObject({ id: into, former_handles: [`from_${from}`] });
  const { exitCode, out } = await channelCommand("delete", `@from_${from}`, "--yes");
  expect({ exitCode, out }).toEqual({ exitCode: 0, out: `deleted  ${into}\n` });
  for (const path of [from, `from_${from}`, into, `into_${into}`]) {
    expect(await status(String(path))).toBe(404);
  }
  const search = await serving.get(`/v1/msgr/channels/?q=${encodeURI(`Новый ${into}`)}`, key);
  expect(await search.json()).toMatchObject({ results: [], next: null });
  expect((await machine.run(["check"])).exitCode).toBe(0);
});

test("check reports twins and the command that merges them, after which it finds none", async () => {
  // The handle of a channel without a messenger id moved to one that has one.
  machine.write("moved.csv", `id,handle\n${into},from_${from}\n`);
  await machine.json(["import", "channels", "moved.csv"]);
  const fault = `fault  twins: Two numbers of one channel, to be merged by: kanalog channel merge ${from} ${into}.`;
  const { exitCode, out } = await machine.run(["check"]);
  expect(exitCode).toBe(1);
  expect(out.split("\n")).toContain(fault);

  await channelCommand("merge", from, into, "--yes");
  expect((await machine.run(["check"])).out).toContain("ok     twins");
});
