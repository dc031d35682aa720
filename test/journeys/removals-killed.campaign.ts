import { afterEach, beforeEach, expect, test } from "bun:test";
import { faultsOf } from "../support/file-faults.ts";
import { createMachine, type Machine } from "../support/machine.ts";
import { until } from "../support/until.ts";

/** Removing this many posts takes many transactions. */
const POSTS = 20_000;

let machine: Machine;
beforeEach(async () => {
  machine = createMachine();
  const channels = "id,handle,title,subscribers\n1,one,One,1\n2,two,Two,2\n3,three,Three,3\n";
  machine.write("channels.csv", channels);
  const posts = Array.from(
    { length: POSTS },
    (_, at) => `${at + 1},1,${at + 1},Post ${at + 1},2026-10-01T10:00:00Z`,
  );
  // The other channel already has every hundredth of them.
  const others = posts.flatMap((_, at) =>
    at % 100 === 0 ? [`${POSTS + at + 1},2,${at + 1},Other,2026-10-01T10:00:00Z`] : [],
  );
  machine.write(
    "posts.csv",
    `${["id,channel,msgr_post_id,text,published_at", ...posts, ...others].join("\n")}\n`,
  );
  machine.write(
    "stats.csv",
    "channel,day,subscribers\n1,2026-10-01,5\n1,2026-10-02,6\n2,2026-10-02,7\n",
  );
  for (const kind of ["channels", "posts", "stats"]) {
    await machine.json(["import", kind, `${kind}.csv`]);
  }
});
afterEach(() => machine.leave());

const count = (sql: string): number => machine.query<{ n: number }>(sql)[0]?.n ?? -1;
const postsOf = (id: number): number =>
  count(`SELECT count(*) AS n FROM posts WHERE channel_id = ${id}`);

/** Starts a removal, and kills it in the middle of the posts. */
async function killed(...words: string[]): Promise<void> {
  const child = machine.spawn(["channel", ...words, "--yes"]);
  await until(() => postsOf(1) < POSTS);
  child.kill("SIGKILL");
  await child.exited;
  expect(postsOf(1)).toBeGreaterThan(0);
  expect(count("SELECT count(*) AS n FROM removed_channels WHERE is_done = 0")).toBe(1);
}

function expectMerged(): void {
  expect(postsOf(1)).toBe(0);
  expect(postsOf(2)).toBe(POSTS);
  expect(count("SELECT count(*) AS n FROM posts WHERE text = 'Other'")).toBe(POSTS / 100);
  expect(
    machine.query("SELECT channel_id, subscribers FROM daily_statistics ORDER BY day"),
  ).toEqual([
    { channel_id: 2, subscribers: 5 },
    { channel_id: 2, subscribers: 7 },
  ]);
  expect(count("SELECT count(*) AS n FROM channels WHERE id = 1")).toBe(0);
  expect(faultsOf(machine.database)).toEqual([]);
}

test("a killed merge is never half visible, and the next command finishes it", async () => {
  await killed("merge", "1", "2");
  expect(count("SELECT count(*) AS n FROM public_cards WHERE id = 1")).toBe(0);
  const { exitCode } = await machine.run(["org", "list"]);
  expect(exitCode).toBe(0);
  expectMerged();
});

test("a killed merge is finished by the serving process at its start", async () => {
  const { key } = await machine.customer();
  await killed("merge", "1", "2");
  const serving = await machine.serve();
  expectMerged();
  expect((await serving.get("/v1/msgr/channels/1/", key)).status).toBe(404);
  const found = await serving.get("/v1/msgr/channels/one/", key);
  expect(await found.json()).toMatchObject({ id: 2, former_handles: ["one"] });
  await serving.stop();
});

test("a killed deletion is finished by the next command, whichever it is", async () => {
  await killed("delete", "1");
  await machine.json(["channel", "merge", "2", "3", "--yes"]);
  expect(postsOf(1)).toBe(0);
  expect(postsOf(3)).toBe(POSTS / 100);
  expect(count("SELECT count(*) AS n FROM channels")).toBe(1);
  expect(faultsOf(machine.database)).toEqual([]);
});
