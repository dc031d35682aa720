import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { beginRemoval, finishRemovals } from "../../../src/catalog/manage/removals.ts";
import { COMMAND_LINE } from "../../../src/customers/audit/audit-log.ts";
import { channelWatchers } from "../../../src/push/webhooks/manage/watched-channels.store.ts";
import { channelFaults } from "../../../src/upkeep/checks/channels.store.ts";
import { checkDatabase } from "../../../src/upkeep/checks/check.ts";
import { webhookFaults } from "../../../src/upkeep/checks/customers.store.ts";
import { auditOf } from "../../support/audit.ts";
import { channel, imported } from "../../support/expectations.ts";
import { type Pushing, postsSent, startPushing } from "../../support/pushing.ts";

/** A webhook watches channels 1 and 2. */
let pushing: Pushing;
beforeEach(async () => {
  pushing = await startPushing();
});
afterEach(async () => {
  const faults: string[] = [];
  checkDatabase(pushing.appliance.app.domains.db, (result) => faults.push(...result.faults));
  expect(faults).toEqual([]);
  expect(pushing.appliance.ports.log.errors).toEqual([]);
  await pushing.close();
});

const CATALOG = "/v1/msgr/channels/";
const get = (path: string) => pushing.appliance.get(path);
const rows = (kind: "channels" | "posts" | "stats", list: object[]) =>
  imported(pushing.appliance, kind, list as never);
const manage = () => pushing.appliance.app.domains.channels;
const statusOf = async (path: string): Promise<number> => (await get(path)).status;
const postIds = async (channelId: number | string): Promise<number[]> =>
  (await get(`${CATALOG}${channelId}/posts/`)).body.results.map(({ id }: { id: number }) => id);
const daysOf = async (ids: string) =>
  (await get(`/v1/msgr/stats/daily/?channels=${ids}&from=2026-11-15&to=2026-11-19`)).body.results;
const merge = (id: number, intoId: number) => manage().merge(id, intoId, COMMAND_LINE);

/** Expects every request that names the channel to be answered as if it had never existed. */
async function expectGone(id: number, title: string): Promise<void> {
  for (const path of [`${CATALOG}${id}/`, `${CATALOG}${id}/posts/`]) {
    expect(await statusOf(path), path).toBe(404);
  }
  expect((await get(`${CATALOG}?ids=${id}`)).body.results).toEqual([]);
  expect((await get(`${CATALOG}?q=${encodeURIComponent(title)}`)).body.results).toEqual([]);
  expect(await daysOf(String(id))).toEqual([]);
  const change = await pushing.change({ channels: [id] });
  expect(change.status).toBe(400);
}

describe("a merge", () => {
  beforeEach(async () => {
    await rows("channels", [
      { id: 1, handle: "from_it", title: "Прежний", category: "news", subscribers: 7 },
      { id: 2, handle: "into_it", title: "Новый", category: "news", msgr_id: 22 },
    ]);
    await rows("channels", [{ id: 1, handle: "from_now" }]);
    await rows("posts", [
      { id: 11, channel: 1, msgr_post_id: 1, text: "twice", published_at: "2026-11-01T10:00:00Z" },
      { id: 12, channel: 1, msgr_post_id: 2, text: "only", published_at: "2026-11-17T10:00:00Z" },
      { id: 13, channel: 1, text: "unnumbered", published_at: "2026-11-03T10:00:00Z" },
      { id: 21, channel: 2, msgr_post_id: 1, text: "stays", published_at: "2026-11-01T11:00:00Z" },
    ]);
    await rows("stats", [
      { channel: 1, day: "2026-11-17", subscribers: 1, views: 10, posts: 1 },
      { channel: 1, day: "2026-11-18", subscribers: 2, views: 20, posts: 2 },
      { channel: 2, day: "2026-11-18", subscribers: 3, views: 30, posts: 3 },
    ]);
  });

  test("moves posts and statistics; if both channels have one, the other channel's is kept", async () => {
    await merge(1, 2);
    expect((await postIds(2)).sort()).toEqual([12, 13, 21]);
    expect((await get("/v1/msgr/posts/12/")).body).toMatchObject({ channel: 2, text: "only" });
    expect(await statusOf("/v1/msgr/posts/11/")).toBe(404);
    expect(await daysOf("2,1")).toEqual([
      { channel: 2, day: "2026-11-17", subscribers: 1, views: 10, posts: 1 },
      { channel: 2, day: "2026-11-18", subscribers: 3, views: 30, posts: 3 },
    ]);
    expect((await get(`${CATALOG}2/`)).body.last_post_at).toBe("2026-11-17T13:00:00+03:00");
  });

  test("leaves 404 at the number forever, and all handles find the other channel", async () => {
    await merge(1, 2);
    await expectGone(1, "Прежний");
    for (const handle of ["from_it", "from_now", "into_it"]) {
      expect((await get(`${CATALOG}${handle}/`)).body).toMatchObject({
        id: 2,
        handle: "into_it",
        former_handles: ["from_now", "from_it"],
      });
    }
    const again = await pushing.appliance.importRows("channels", [channel(1)]);
    expect(again).toMatchObject({ kept_out: 1, rejects: [] });
  });

  test("moves subscriptions of webhooks, also in their lists of channels", async () => {
    await rows("channels", [channel(3)]);
    const other = await pushing.add([3, 1]);
    await merge(1, 2);
    expect((await pushing.view()).channels).toEqual([2]);
    expect((await pushing.view(other.id)).channels).toEqual([3, 2]);
    await pushing.send([31], { channel: 2 });
    const sent = postsSent(pushing);
    expect(sent).toEqual([[31], [31]]);
  });

  test("in progress sends every post that was read before it once, whichever rows are already moved", async () => {
    const { db, clock } = pushing.appliance.app.domains;
    const other = await pushing.add([1]);
    await pushing.pass(60_000);
    await pushing.read([41, 42]);
    await beginRemoval(db, clock, channelWatchers, { id: 1, intoId: 2 }, COMMAND_LINE);
    await expectGone(1, "Прежний");
    await pushing.pass(60_000);
    await finishRemovals(db, clock, channelWatchers);
    await pushing.pass(60_000);
    const sent = postsSent(pushing);
    expect(sent).toEqual([
      [41, 42],
      [41, 42],
    ]);
    expect((await pushing.view(other.id)).channels).toEqual([2]);
  });

  test("in progress lets a webhook's channels be changed, and the database pass its check", async () => {
    const { db, clock } = pushing.appliance.app.domains;
    const [both, neither] = [await pushing.add([1, 3]), await pushing.add([1, 3])];
    await beginRemoval(db, clock, channelWatchers, { id: 1, intoId: 2 }, COMMAND_LINE);
    expect([...channelFaults(db), ...webhookFaults(db)]).toEqual([]);
    expect((await pushing.change({ channels: [2, 3] }, both.id)).body.channels).toEqual([2, 3]);
    expect((await pushing.change({ channels: [3] }, neither.id)).body.channels).toEqual([3]);
    await finishRemovals(db, clock, channelWatchers);
    expect((await pushing.view(both.id)).channels).toEqual([2, 3]);
    expect((await pushing.view(neither.id)).channels).toEqual([3]);
    expect((await pushing.view()).channels).toEqual([2]);
  });

  test("recounts the directories, and is recorded in the audit log once", async () => {
    await merge(1, 2);
    const { body } = await get("/v1/msgr/categories/");
    const news = body.results.find(({ slug }: { slug: string }) => slug === "news");
    expect(news.channels).toBe(1);
    const entries = auditOf(pushing.appliance, "everybody").filter(({ target }) =>
      target.startsWith("channel "),
    );
    expect(entries).toEqual([
      {
        person: "",
        organizationId: null,
        action: "channel.merge",
        target: "channel 1",
        details: { name: "Прежний", into: 2 },
      },
    ]);
  });

  test("leaves few segments in the post index, which may have 2,000", async () => {
    const { db } = pushing.appliance.app.domains;
    const count = "SELECT count(DISTINCT segid) AS n FROM post_search_1_idx";
    const segments = () => (db.prepare(count).get() as { n: number }).n;
    await rows(
      "posts",
      Array.from({ length: 300 }, (_, at) => ({
        ...{ channel: 1, msgr_post_id: 100 + at, text: `Слово${at} и другое` },
        published_at: new Date(Date.parse("2026-11-01T10:00:00Z") + at * 60_000).toISOString(),
      })),
    );
    const before = segments();
    await merge(1, 2);
    expect(segments()).toBeLessThan(before + 20);
  });

  test("unites twins: the remaining channel has the handle, the messenger id and the posts", async () => {
    await rows("channels", [{ id: 1, handle: null }]);
    await merge(2, 1);
    expect((await get(`${CATALOG}into_it/`)).body).toMatchObject({ id: 1, handle: "into_it" });
    expect((await get(`${CATALOG}resolve/?q=22`)).body.id).toBe(1);
    const again = await pushing.appliance.importRows("channels", [
      { msgr_id: 22, handle: "into_it", title: "Новый" },
    ]);
    expect(again).toMatchObject({ updated: 1, inserted: 0, handles_moved: 0 });
  });

  test("into itself, or with a channel that does not exist, is refused without any change", async () => {
    await expect(merge(1, 1)).rejects.toMatchObject({ code: "invalid" });
    await expect(merge(1, 99)).rejects.toMatchObject({ code: "not_found" });
    await expect(merge(99, 1)).rejects.toMatchObject({ code: "not_found" });
    expect(await postIds(1)).toHaveLength(3);
  });

  test("that was interrupted is finished before the next one begins", async () => {
    const { db, clock } = pushing.appliance.app.domains;
    await rows("channels", [channel(3)]);
    await beginRemoval(db, clock, channelWatchers, { id: 1, intoId: 2 }, COMMAND_LINE);
    expect(await beginRemoval(db, clock, channelWatchers, { id: 2, intoId: 3 }, COMMAND_LINE)).toBe(
      false,
    );
    await merge(2, 3);
    expect((await postIds(3)).sort()).toEqual([12, 13, 21]);
    expect((await get(`${CATALOG}from_it/`)).body.id).toBe(3);
  });
});

describe("a deletion", () => {
  test("removes the channel with its posts, statistics, subscriptions and handles", async () => {
    await rows("channels", [{ id: 1, handle: "once", title: "Удалённый" }]);
    await rows("channels", [{ id: 1, handle: "gone" }]);
    await rows("posts", [{ id: 11, channel: 1, published_at: "2026-11-19T10:00:00Z" }]);
    await rows("stats", [{ channel: 1, day: "2026-11-17", subscribers: 1 }]);
    await pushing.read([12]);
    await manage().delete(1, COMMAND_LINE);
    await expectGone(1, "Удалённый");
    for (const path of [`${CATALOG}gone/`, `${CATALOG}once/`, "/v1/msgr/posts/11/"]) {
      expect(await statusOf(path), path).toBe(404);
    }
    await pushing.pass(60_000);
    expect(pushing.attempts()).toEqual([]);
    expect((await pushing.view()).channels).toEqual([2]);
  });

  test("of the newest channel does not free its number", async () => {
    await rows("channels", [channel(50)]);
    await manage().delete(50, COMMAND_LINE);
    await rows("channels", [{ handle: "next", title: "Next", subscribers: 1 }]);
    expect((await get(`${CATALOG}next/`)).body.id).toBe(51);
  });

  test("of the newest post's channel does not free the post's number either", async () => {
    await rows("posts", [{ id: 90, channel: 1, published_at: "2026-11-19T10:00:00Z" }]);
    await manage().delete(1, COMMAND_LINE);
    await rows("posts", [{ channel: 2, msgr_post_id: 5, published_at: "2026-11-19T10:00:00Z" }]);
    expect(await postIds(2)).toEqual([91]);
  });

  test("of a webhook's only channels leaves the webhook without any, to be given others", async () => {
    await manage().delete(1, COMMAND_LINE);
    await manage().delete(2, COMMAND_LINE);
    expect(await pushing.view()).toMatchObject({ channels: [], is_active: true });
    expect((await pushing.change({ channels: [3] })).body.channels).toEqual([3]);
  });

  test("of a webhook's only channels does not make it watch all: with an empty list it is sent nothing", async () => {
    await pushing.read([1], { channel: 2 });
    for (const id of [1, 2]) await manage().delete(id, COMMAND_LINE);
    const nothingOf = async (postId: number) => {
      await pushing.read([postId], { channel: 3 });
      await pushing.pass(2 * 60_000);
      expect(postsSent(pushing)).toEqual([]);
    };
    await nothingOf(31);
    const url = "https://other.example/hook";
    expect((await pushing.change({ url })).body).toMatchObject({ url, channels: [] });
    await nothingOf(32);
    for (const is_active of [false, true]) {
      expect((await pushing.change({ is_active })).body).toMatchObject({ is_active, channels: [] });
    }
    await nothingOf(33);
    // An empty list cannot be chosen, but the check of the database accepts it.
    expect((await pushing.change({ channels: [] })).status).toBe(400);
    expect(webhookFaults(pushing.appliance.app.domains.db)).toEqual([]);
    const { body } = await pushing.call("POST", `/v1/msgr/webhooks/${pushing.id}/test/`);
    expect(body.delivered).toBe(true);
    expect(pushing.attempts()).toHaveLength(1);
  });

  test("of a channel whose names another appliance's removed channel brought works all the same", async () => {
    await rows("channels", [
      channel(70, { msgr_id: "1700", handle: "seventy" }),
      { id: 71, msgr_id: "1700", handle: "seventy", removed: true },
    ]);
    await manage().delete(70, COMMAND_LINE);
    expect(await statusOf(`${CATALOG}70/`)).toBe(404);
  });

  test("keeps rows with its handle and messenger id out until it is restored", async () => {
    await rows("channels", [{ id: 1, handle: "name", msgr_id: 77 }]);
    await manage().delete(1, COMMAND_LINE);
    const next = [{ handle: "name", msgr_id: 77, title: "Next", subscribers: 1 }];
    await rows("channels", next);
    expect(await statusOf(`${CATALOG}resolve/?q=77`)).toBe(404);
    await manage().restore(1, COMMAND_LINE);
    await rows("channels", next);
    const { body } = await get(`${CATALOG}resolve/?q=77`);
    expect(body).toMatchObject({ id: 1, handle: "name", title: "Next" });
  });
});

test("a hidden channel appears nowhere until it is shown again, and both are recorded in the audit log", async () => {
  await rows("channels", [{ id: 1, handle: "name", title: "Скрытый канал", category: "news" }]);
  const before = (await get(`${CATALOG}1/`)).body;
  expect(await manage().setPublic(1, false, COMMAND_LINE)).toBe(true);
  expect(await manage().setPublic(1, false, COMMAND_LINE)).toBe(false);
  await expectGone(1, "Скрытый канал");
  expect(await statusOf(`${CATALOG}name/`)).toBe(404);
  expect(manage().channel("@name")).toMatchObject({ id: 1, is_public: 0 });
  await manage().setPublic(1, true, COMMAND_LINE);
  expect((await get(`${CATALOG}name/`)).body).toEqual(before);
  const { body } = await get("/v1/msgr/categories/");
  expect(body.results.find(({ slug }: { slug: string }) => slug === "news").channels).toBe(1);
  const actions = auditOf(pushing.appliance, "everybody").map(({ action }) => action);
  expect(actions.filter((action) => action.startsWith("channel."))).toEqual([
    "channel.hide",
    "channel.unhide",
  ]);
});
