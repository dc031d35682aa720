import { afterEach, beforeEach, expect, test } from "bun:test";
import { pruneLastPostOrder } from "../../../src/catalog/search/last-post-order.ts";
import { statement } from "../../../src/db/database.ts";
import { type Appliance, startAppliance } from "../../support/appliance.ts";
import { imported, pathOfNext } from "../../support/expectations.ts";

let appliance: Appliance;
beforeEach(async () => {
  appliance = await startAppliance();
});
afterEach(() => appliance.close());

const START = Date.parse("2026-11-19T00:00:00Z");
const at = (seconds: number): string => new Date(START + seconds * 1000).toISOString();
const COUNT = 600;
const IDS = Array.from({ length: COUNT }, (_, index) => index + 1);

/** Every third channel has no post; the others are scattered over five hours, in even seconds. */
const timeOf = (id: number): number | null =>
  id % 3 === 0 ? null : Math.floor(((id * 7919) % 18_000) / 2) * 2;

async function importChannels(): Promise<void> {
  const rows = IDS.map((id) => {
    const seconds = timeOf(id);
    const last_post_at = seconds === null ? null : at(seconds);
    const kind = id % 10 === 0 ? "chat" : "channel";
    return { id, title: `Channel ${id}`, subscribers: id, last_post_at, kind };
  });
  await imported(appliance, "channels", rows);
}

/** A whole list, page by page. */
async function listed(filter = "", kind = "channel"): Promise<number[]> {
  const ids: number[] = [];
  let path: string | null =
    `/v1/msgr/channels/?ordering=-last_post_at&limit=7&kind=${kind}&${filter}`;
  while (path !== null) {
    const { body }: Awaited<ReturnType<Appliance["get"]>> = await appliance.get(path);
    ids.push(...body.results.map(({ id }: { id: number }) => id));
    path = body.next === null ? null : pathOfNext(body.next);
  }
  return ids;
}

/** The expected list, by sorting the table. */
const sorted = (kind = "channel"): number[] =>
  statement<{ id: number }>(
    appliance.app.domains.db,
    `SELECT id FROM channels WHERE kind = ? AND is_public = 1
     ORDER BY last_post_at IS NULL, last_post_at DESC, id`,
  )
    .all(kind)
    .map(({ id }) => id);

const entries = (): number => {
  const count = statement<{ n: number }>(
    appliance.app.domains.db,
    "SELECT count(*) AS n FROM last_post_order",
  );
  return count.get()?.n ?? 0;
};

async function expectSorted(): Promise<void> {
  for (const kind of ["channel", "chat"]) expect(await listed("", kind)).toEqual(sorted(kind));
}

test("channels are listed by their last posts to the millisecond, although the order is coarse", async () => {
  await importChannels();
  await expectSorted();
  // Times change within a step, to another step, to none and from none, and back again.
  for (const shift of [1, 3_000, 90_000, 0]) {
    const rows = IDS.filter((id) => id % 2 === 0).map((id) => {
      const seconds = timeOf(shift === 90_000 ? id + 1 : id);
      return { id, last_post_at: seconds === null ? null : at(seconds + shift) };
    });
    await imported(appliance, "channels", rows);
    await expectSorted();
  }
});

test("a channel that becomes a chat, is hidden or shown again is in its place in the right list", async () => {
  await importChannels();
  for (const change of [{ kind: "chat" }, { is_public: false }, { is_public: true }]) {
    await imported(
      appliance,
      "channels",
      IDS.filter((id) => id % 7 === 0).map((id) => ({ id, ...change })),
    );
    await expectSorted();
  }
});

test("a new post moves its channel to the top, and its deletion moves it back", async () => {
  await importChannels();
  await imported(appliance, "posts", [
    { id: 1, channel: 5, text: "New", published_at: at(80_000) },
  ]);
  expect((await listed())[0]).toBe(5);
  await imported(appliance, "posts", [{ id: 1, deleted: true }]);
  await expectSorted();
  expect((await listed())[0]).not.toBe(5);
});

test("the nightly pruning removes outdated entries and nothing else", async () => {
  await importChannels();
  await imported(
    appliance,
    "channels",
    IDS.map((id) => ({ id, last_post_at: at(40_000 + 20 * id) })),
  );
  await imported(appliance, "channels", [{ id: 1, kind: "chat" }]);
  expect(entries()).toBe(2 * COUNT + 1);
  const { domains } = appliance.app;
  await pruneLastPostOrder(domains.db, appliance.ports.clock);
  expect(entries()).toBe(COUNT);
  await expectSorted();
});
