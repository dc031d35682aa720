import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { statement } from "../../../src/db/database.ts";
import { inEnglish } from "../../../src/values/messages/messages.ts";
import { midOf, refuse } from "../../support/fake-max.ts";
import type { FakeAnswer } from "../../support/fake-ports.ts";
import { type MaxAppliance, startMaxAppliance } from "../../support/max-appliance.ts";

/** Channels of a bot at MAX, read by polling (sources, section 4). */

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** Ids beyond 2^53, which a floating-point number cannot hold exactly. */
const NEWS = -9_007_199_254_740_993n;
const TALES = -9_007_199_254_740_995n;

let world: MaxAppliance;
beforeEach(async () => {
  world = await startMaxAppliance();
});
afterEach(() => world.close());

const ago = (durationMs: number) => world.appliance.ports.clock.now() - durationMs;
const rows = <Row>(sql: string) => statement<Row>(world.appliance.app.domains.db, sql).all();
const card = (msgrId: bigint) =>
  rows<{ id: number; title: string; subscribers: number }>(
    `SELECT c.id, cc.title, c.subscribers FROM channels c JOIN channel_cards cc ON cc.id = c.id
     WHERE cc.msgr_id = CAST('${msgrId}' AS INTEGER)`,
  )[0];
const requestsTo = (start: string) => world.max.requests.filter((path) => path.startsWith(start));

describe("a bot of MAX", () => {
  test("is added only after MAX has reported its name, and its token is stored encrypted", async () => {
    const source = await world.add();
    expect(world.max.requests[0]).toBe("GET /me");
    expect(source).toMatchObject({
      kind: "max",
      schedule: "15m",
      settings: { bot: "catalog_bot" },
    });
    const stored = rows("SELECT * FROM sources");
    expect(JSON.stringify(stored)).not.toContain(world.max.token);
    expect(Buffer.from(source.secret ?? []).toString("latin1")).not.toContain(world.max.token);
  });

  test("with a token that MAX does not know is not added, and leaves nothing behind", async () => {
    await expect(world.add({ token: "a-wrong-token" })).rejects.toMatchObject({
      code: "invalid",
      fields: { token: [expect.stringContaining("does not know this token")] },
    });
    expect(await world.appliance.app.sources.list()).toEqual([]);
  });

  test("in no channel is read without a failure, and has no channels", async () => {
    await world.add();
    expect(await world.look()).toMatchObject({ failures: 0, failure: null });
    expect(await world.chats()).toEqual([]);
  });
});

describe("channels", () => {
  test("are found when the bot is added, with exact ids beyond 2^53", async () => {
    await world.add();
    await world.look();
    world.max.addChannel({ id: NEWS, title: "Новости", participants: 7 });
    world.max.addChannel({ id: TALES, title: "Сказки", participants: 8 });
    await world.after(15 * MINUTE_MS);
    expect(card(NEWS)).toMatchObject({ title: "Новости", subscribers: 7 });
    expect(card(TALES)).toMatchObject({ title: "Сказки", subscribers: 8 });
    expect((await world.chats()).map(({ chat, isRead }) => [chat, isRead])).toEqual([
      [String(NEWS), true],
      [String(TALES), true],
    ]);
  });

  test("that the bot joined before the first run are all found", async () => {
    world.max.addChannel({ id: TALES, title: "Сказки" });
    await world.add();
    for (const n of [1n, 2n, 3n]) world.max.addChannel({ id: n, title: `Канал ${n}` });
    await world.look();
    expect((await world.chats()).map(({ chat }) => chat)).toEqual([String(TALES), "1", "2", "3"]);
  });

  test("that the bot joined before the source was added are found with their next post", async () => {
    for (const n of [1n, 2n]) world.max.addChannel({ id: n, title: `Канал ${n}` });
    await world.add();
    await world.look();
    expect((await world.chats()).map(({ chat }) => chat)).toEqual(["2"]);
    const mid = world.max.post(1n, "новое");
    await world.after(15 * MINUTE_MS);
    expect(world.stored(mid)?.text).toBe("новое");
  });

  test("that the bot joined before are found at once where MAX lists them", async () => {
    for (const n of [1n, 2n]) world.max.addChannel({ id: n, title: `Канал ${n}` });
    const chats = [1, 2].map((chat_id) => ({ chat_id, type: "channel", status: "active" }));
    const dialog = { chat_id: 3, type: "dialog", status: "active" };
    world.max.disturb = (path) =>
      path.startsWith("GET /chats?")
        ? Response.json({ chats: [...chats, dialog], marker: null })
        : undefined;
    await world.add();
    const mid = world.max.post(1n, "старое");
    await world.look();
    expect((await world.chats()).map(({ chat }) => chat).sort()).toEqual(["1", "2"]);
    expect(world.stored(mid)?.text).toBe("старое");
  });

  test("have the card and the day's subscribers from MAX", async () => {
    await world.add();
    const channel = world.max.addChannel({
      ...{ id: NEWS, title: "Новости", participants: 7 },
      ...{ link: "https://max.ru/novosti", description: "О городе" },
    });
    channel.icon = "https://i.oneme.ru/i?r=1";
    await world.look();
    const first = card(NEWS);
    const shown = (await world.appliance.get(`/v1/msgr/channels/${first?.id}/`)).body;
    expect(shown).toMatchObject({
      ...{ handle: "novosti", title: "Новости", description: "О городе" },
      ...{ link: "https://max.ru/novosti", image: "https://i.oneme.ru/i?r=1" },
    });
    Object.assign(channel, { title: "Новости дня", participants: 9, description: null });
    await world.after(15 * MINUTE_MS);
    expect(card(NEWS)).toMatchObject({ title: "Новости дня", subscribers: 9 });
    const days = rows("SELECT subscribers FROM daily_statistics");
    expect(days).toEqual([{ subscribers: 9 }]);
  });

  test("do not take over a handle from another messenger's channel, but do take a free one", async () => {
    await world.appliance.importRows("channels", [
      { id: "1", msgr_id: "1234567890", handle: "novosti", title: "Telegram", subscribers: "1" },
      { id: "2", handle: "skazki", title: "Без номера", subscribers: "1" },
    ]);
    await world.add();
    world.max.addChannel({ id: NEWS, title: "Новости", link: "https://max.ru/novosti" });
    world.max.addChannel({ id: TALES, title: "Сказки", link: "https://max.ru/skazki" });
    await world.look();
    expect((await world.appliance.get("/v1/msgr/channels/novosti/")).body.id).toBe(1);
    expect((await world.appliance.get("/v1/msgr/channels/skazki/")).body.id).toBe(2);
    expect(card(TALES)).toMatchObject({ id: 2, title: "Сказки" });
    expect(card(NEWS)?.id).toBe(3);
  });

  test("are no longer read once the bot is removed, keep their posts, and are read when it is back", async () => {
    await world.add();
    world.max.addChannel({ id: NEWS, title: "Новости" });
    const first = world.max.post(NEWS, "первый");
    await world.look();
    world.max.removeBot(NEWS);
    await world.after(15 * MINUTE_MS);
    expect(await world.chats()).toMatchObject([{ isRead: false }]);
    expect(world.stored(first)?.text).toBe("первый");
    const before = world.max.requests.length;
    await world.after(15 * MINUTE_MS);
    expect(world.max.requests.slice(before)).toEqual([expect.stringContaining("GET /updates")]);
    world.max.addBot(NEWS);
    const second = world.max.post(NEWS, "второй");
    await world.after(15 * MINUTE_MS);
    expect(await world.chats()).toMatchObject([{ isRead: true }]);
    expect(world.stored(second)?.text).toBe("второй");
  });

  test("that were lost are checked once a night, even without an update about them", async () => {
    await world.add();
    const channel = world.max.addChannel({ id: NEWS, title: "Новости" });
    await world.look();
    world.max.removeBot(NEWS);
    await world.after(15 * MINUTE_MS);
    channel.hasBot = true;
    await world.after(15 * MINUTE_MS);
    expect(await world.chats()).toMatchObject([{ isRead: false }]);
    await world.after(DAY_MS);
    expect(await world.chats()).toMatchObject([{ isRead: true }]);
  });

  test("do not include people's chats or messages to the bot", async () => {
    await world.add();
    await world.look();
    world.max.addChannel({ id: 77n, title: "Соседи", type: "chat" });
    world.max.post(77n, "всем привет");
    world.max.tell({
      ...{ update_type: "message_created", timestamp: 1 },
      message: {
        ...{ timestamp: 1, recipient: { chat_id: 5, chat_type: "dialog", user_id: 6 } },
        body: { mid: midOf(5n, 1n), seq: 1, text: "личное", attachments: [] },
      },
    });
    await world.after(15 * MINUTE_MS);
    expect(await world.chats()).toEqual([]);
    expect(world.posts()).toEqual([]);
  });

  test("that the bot may not read are marked as such, and the others are read", async () => {
    await world.add();
    await world.look();
    world.max.addChannel({ id: NEWS, title: "Новости" }).isAdmin = false;
    world.max.addChannel({ id: TALES, title: "Сказки" });
    const post = world.max.post(TALES, "жили-были");
    expect(await world.after(15 * MINUTE_MS)).toMatchObject({ failures: 0 });
    expect(world.stored(post)?.text).toBe("жили-были");
    const lost = (await world.chats()).find(({ chat }) => chat === String(NEWS));
    expect(lost).toMatchObject({ isRead: false, fault: { code: "botNotInChannel" } });
  });
});

describe("posts", () => {
  beforeEach(async () => {
    world.max.addChannel({ id: NEWS, title: "Новости", link: "https://max.ru/novosti" });
  });

  test("have text, media, views, link, and the id in MAX's mid", async () => {
    const mid = world.max.post(NEWS, "с картинкой", {
      ...{ views: 5, at: ago(HOUR_MS) },
      attachments: [
        { type: "image", payload: { photo_id: 1, token: "t", url: "https://i.oneme.ru/i" } },
        { type: "file", payload: { url: "", token: "" }, filename: "a.pdf", size: 1 },
        { type: "inline_keyboard", payload: { buttons: [] } },
      ],
    });
    await world.add();
    await world.look();
    expect(world.stored(mid)).toMatchObject({
      ...{ text: "с картинкой", views: 5, views_at: world.appliance.ports.clock.now() },
      link: `https://max.ru/novosti/${mid.slice(-11)}`,
    });
    expect(world.stored(mid)?.media).toContain("photo");
    expect(world.stored(mid)?.media).toContain("document");
    expect(Number.isSafeInteger(Number(world.stored(mid)?.msgr_post_id))).toBe(false);
  });

  test("that were forwarded have the original's text and its links under words", async () => {
    const markup = [
      { type: "strong", from: 0, length: 4 },
      { type: "link", from: 5, length: 4, url: "https://max.ru/skazki" },
    ];
    const mid = world.max.post(NEWS, "", {
      link: {
        ...{ type: "forward", chat_id: TALES, sender: { first_name: "Сказки", name: "Сказки" } },
        message: { mid: midOf(TALES, 1n), seq: 1, text: "жили-были", attachments: [], markup },
      },
    });
    await world.add();
    await world.look();
    expect(world.stored(mid)?.text).toBe("жили-были");
    expect(JSON.parse(String(world.stored(mid)?.links))).toEqual([
      { offset: 5, length: 4, target: "https://max.ru/skazki" },
    ]);
  });

  test("are read in pages of 100, whether or not MAX includes the ends of a span", async () => {
    for (const isFromInclusive of [true, false]) {
      world.max.isFromInclusive = isFromInclusive;
      const at = ago(HOUR_MS) + (isFromInclusive ? 0 : 1000);
      // Several posts share a millisecond, also where a page ends.
      for (let n = 0; n < 230; n++) {
        world.max.post(NEWS, `пост ${n}`, { at: at + Math.floor(n / 7) });
      }
      if (isFromInclusive) await world.add();
      await world.after(15 * MINUTE_MS);
      expect(world.posts()).toHaveLength(isFromInclusive ? 230 : 460);
    }
    expect(requestsTo("GET /messages").every((path) => path.includes("count=100"))).toBe(true);
  });

  test("of two days are read each time, and those of seven once a night", async () => {
    await world.add();
    await world.look();
    const old = world.max.post(NEWS, "старый", { at: ago(5 * DAY_MS) });
    const fresh = world.max.post(NEWS, "свежий", { at: ago(DAY_MS) });
    world.max.edit(old, "старый, исправлен");
    // MAX loses the updates about both.
    world.disturbNetwork = (url) =>
      url.includes("/updates") ? { status: 200, body: '{"updates":[],"marker":null}' } : undefined;
    await world.after(15 * MINUTE_MS);
    expect(world.stored(fresh)?.text).toBe("свежий");
    expect(world.stored(old)).toBeUndefined();
    await world.after(12 * HOUR_MS);
    expect(world.stored(old)?.text).toBe("старый, исправлен");
  });

  test("report their delay, except those of a new channel", async () => {
    world.max.post(NEWS, "давний", { at: ago(DAY_MS) });
    await world.add();
    expect((await world.look()).position.lagMs).toBeUndefined();
    world.appliance.ports.clock.advance(10 * MINUTE_MS);
    world.max.post(NEWS, "свежий");
    expect((await world.after(5 * MINUTE_MS)).position.lagMs).toBe(5 * MINUTE_MS);
    expect((await world.after(15 * MINUTE_MS)).position.lagMs).toBe(5 * MINUTE_MS);
  });

  test("follow edits and views without being duplicated", async () => {
    const mid = world.max.post(NEWS, "как было", { views: 1 });
    await world.add();
    await world.look();
    world.max.edit(mid, "как стало");
    const post = world.max.channels.get(String(NEWS))?.posts.get(mid);
    if (post !== undefined) post.views = 40;
    await world.after(15 * MINUTE_MS);
    expect(world.posts()).toEqual([expect.objectContaining({ text: "как стало", views: 40 })]);
  });

  test("are counted by day when they change, not each time they are read", async () => {
    world.max.post(NEWS, "один");
    await world.add();
    const { id } = await world.look();
    const read = async () => (await world.appliance.app.sources.rowsByDay(id, 1))[0]?.rows;
    const first = await read();
    await world.after(15 * MINUTE_MS);
    await world.after(15 * MINUTE_MS);
    expect(await read()).toBe(first);
  });
});

describe("posts that MAX no longer has", () => {
  let present: string;
  let gone: string;
  beforeEach(async () => {
    world.max.addChannel({ id: NEWS, title: "Новости" });
    present = world.max.post(NEWS, "остаётся", { at: ago(2 * HOUR_MS) });
    gone = world.max.post(NEWS, "исчезает", { at: ago(HOUR_MS) });
    await world.add();
    await world.look();
  });
  /** Deletes a post without an update about it. */
  const vanish = (mid: string) => world.max.channels.get(String(NEWS))?.posts.delete(mid);
  const isThere = (mid: string) => world.stored(mid) !== undefined;

  test("are taken down if a complete reading does not contain them", async () => {
    vanish(gone);
    await world.after(15 * MINUTE_MS);
    expect([isThere(present), isThere(gone)]).toEqual([true, false]);
  });

  test("are taken down even if none are left in the channel", async () => {
    vanish(gone);
    vanish(present);
    await world.after(15 * MINUTE_MS);
    expect(world.posts()).toEqual([]);
  });

  test("are taken down at any age if MAX reports the deletion", async () => {
    const old = world.max.post(NEWS, "старый", { at: ago(6 * DAY_MS) });
    await world.after(15 * MINUTE_MS);
    world.appliance.ports.clock.advance(30 * DAY_MS);
    world.max.remove(old);
    await world.look();
    expect(isThere(old)).toBe(false);
  });

  const CUT = '{"messages":[{"recipient":{"chat_id":-9007199254740993,"chat_ty';
  const ODD: Record<string, FakeAnswer> = {
    "a server error": { status: 500, body: '{"code":"internal","message":"Internal error"}' },
    "an HTML error page": { status: 502, body: "<html>Bad Gateway</html>" },
    "a truncated answer": { status: 200, body: CUT },
    "an answer without messages": { status: 200, body: "{}" },
    "null in place of the list": { status: 200, body: '{"messages":null}' },
    "an empty body": { status: 200, body: "" },
    "a refusal": { status: 403, body: '{"code":"chat.denied","message":"No access"}' },
    "the rate limit": { status: 429, body: '{"code":"too.many.requests","message":"Slow down"}' },
    "no answer in time": { fault: "timeout" },
    "a broken connection": { fault: "broken" },
    "a failed connection": { fault: "unreachable" },
    "an endless answer": { fault: "too_large" },
  };
  for (const [what, answer] of Object.entries(ODD)) {
    test(`are not taken down after ${what}`, async () => {
      vanish(gone);
      world.disturbNetwork = (url) => (url.includes("/messages?") ? answer : undefined);
      await world.after(15 * MINUTE_MS);
      expect([isThere(present), isThere(gone)]).toEqual([true, true]);
      world.disturbNetwork = () => undefined;
      await world.after(DAY_MS);
      expect([isThere(present), isThere(gone)]).toEqual([true, false]);
    });
  }

  test("are not taken down if a later page is truncated", async () => {
    for (let n = 0; n < 150; n++)
      world.max.post(NEWS, `пост ${n}`, { at: ago(30 * MINUTE_MS) + n });
    await world.after(15 * MINUTE_MS);
    vanish(gone);
    world.disturbNetwork = (url) =>
      url.includes("from=") ? { status: 200, body: CUT } : undefined;
    await world.after(15 * MINUTE_MS);
    expect(isThere(gone)).toBe(true);
  });

  const UNKNOWN: Record<string, (message: object) => unknown> = {
    "that is not an object": () => "message",
    "without a time": (message) => ({ ...message, timestamp: "yesterday" }),
    "whose body has no id": (message) => ({ ...message, body: { text: "a" } }),
    "whose id has another form": (message) => ({
      ...message,
      body: { mid: "m-1", text: "a" },
    }),
    "whose body is a list": (message) => ({ ...message, body: [] }),
  };
  for (const [what, form] of Object.entries(UNKNOWN)) {
    test(`are not taken down if there is a message ${what}; the others are read`, async () => {
      vanish(gone);
      world.max.post(NEWS, "странный", { at: ago(MINUTE_MS), form });
      const fresh = world.max.post(NEWS, "новый", { at: ago(2 * MINUTE_MS) });
      const source = await world.after(15 * MINUTE_MS);
      expect([isThere(present), isThere(gone), isThere(fresh)]).toEqual([true, true, true]);
      expect(source).toMatchObject({ failures: 0 });
      const [{ fault, isRead } = { fault: null, isRead: false }] = await world.chats();
      expect(isRead).toBe(true);
      expect(fault && inEnglish(fault)).toContain("messages have an unknown form");
      const posts = world.max.channels.get(String(NEWS))?.posts ?? new Map();
      for (const [mid, { text }] of posts) if (text === "странный") posts.delete(mid);
      await world.after(15 * MINUTE_MS);
      expect([isThere(present), isThere(gone)]).toEqual([true, false]);
      expect(await world.chats()).toMatchObject([{ fault: null }]);
    });

    test(`are not taken down behind a full page of messages ${what}`, async () => {
      for (let n = 0; n < 150; n++) {
        world.max.post(NEWS, "странный", { at: ago(30 * MINUTE_MS) + n, form });
      }
      await world.after(15 * MINUTE_MS);
      expect([isThere(present), isThere(gone)]).toEqual([true, true]);
    });
  }

  test("are found behind a page of messages of which only the time is readable", async () => {
    for (let n = 0; n < 150; n++) {
      const form = UNKNOWN["whose body has no id"] ?? (() => null);
      world.max.post(NEWS, "странный", { at: ago(30 * MINUTE_MS) + n, form });
    }
    const behind = world.max.post(NEWS, "за ними", { at: ago(40 * MINUTE_MS) });
    await world.after(15 * MINUTE_MS);
    expect(isThere(behind)).toBe(true);
  });

  test("are taken down despite messages without a body, such as forwarded ones", async () => {
    vanish(gone);
    const form = (message: object) => ({ ...message, body: null });
    for (let n = 0; n < 100; n++) {
      world.max.post(NEWS, "переслано", { at: ago(30 * MINUTE_MS) + n, form });
    }
    await world.after(15 * MINUTE_MS);
    expect([isThere(present), isThere(gone)]).toEqual([true, false]);
    expect(await world.chats()).toMatchObject([{ fault: null }]);
  });

  test("are not taken down if the bot lost its permission to read", async () => {
    const channel = world.max.channels.get(String(NEWS));
    if (channel !== undefined) channel.permissions = ["write"];
    await world.after(15 * MINUTE_MS);
    expect([isThere(present), isThere(gone)]).toEqual([true, true]);
    expect(await world.chats()).toMatchObject([{ isRead: false }]);
  });

  test("are not taken down for being older than the days that are read", async () => {
    await world.after(3 * DAY_MS);
    await world.after(10 * DAY_MS);
    expect([isThere(present), isThere(gone)]).toEqual([true, true]);
  });

  test("stay down, also those that the operator took down", async () => {
    const post = rows<{ id: number }>("SELECT id FROM posts WHERE text = 'остаётся'")[0];
    await world.appliance.importRows("posts", [{ id: String(post?.id), deleted: "true" }]);
    await world.after(15 * MINUTE_MS);
    expect(isThere(present)).toBe(false);
  });
});

describe("the marker of updates", () => {
  test("is stored exactly, together with the channels in the updates", async () => {
    await world.add();
    world.max.addChannel({ id: NEWS, title: "Новости" });
    const { position } = await world.look();
    expect(position.marker).toBe("9007199254741001");
    await world.after(15 * MINUTE_MS);
    expect(requestsTo("GET /updates").at(-1)).toContain("marker=9007199254741001");
  });

  test("that was lost costs no post of a known channel", async () => {
    await world.add();
    world.max.addChannel({ id: NEWS, title: "Новости" });
    await world.look();
    statement(world.appliance.app.domains.db, "UPDATE sources SET position = '{}'").run();
    const mids = [1, 2, 3].map((n) => world.max.post(NEWS, `пост ${n}`));
    await world.after(15 * MINUTE_MS);
    expect(mids.map((mid) => world.stored(mid)?.text)).toEqual(["пост 1", "пост 2", "пост 3"]);
  });

  test("that MAX omits does not cause an endless loop", async () => {
    await world.add();
    const update = { update_type: "bot_started", timestamp: 1, chat_id: 5, user: {} };
    world.disturbNetwork = (url) =>
      url.includes("/updates")
        ? { status: 200, body: JSON.stringify({ updates: [update], marker: null }) }
        : undefined;
    expect(await world.look()).toMatchObject({ failures: 0 });
  });
});

describe("faults of MAX", () => {
  let mid: string;
  beforeEach(async () => {
    world.max.addChannel({ id: NEWS, title: "Новости" });
    await world.add();
    await world.look();
    mid = world.max.post(NEWS, "новое");
  });

  test.each([502, 503, 429])("one %d at any request costs seconds, and no run", async (status) => {
    const seen = new Set<string>();
    world.disturbNetwork = (url) => {
      const { pathname } = new URL(url);
      if (seen.has(pathname)) return undefined;
      seen.add(pathname);
      return { status, body: "<html>" };
    };
    expect(await world.after(15 * MINUTE_MS)).toMatchObject({ failures: 0 });
    expect(seen.size).toBeGreaterThan(2);
    expect(world.stored(mid)?.text).toBe("новое");
  });

  test("a 429 postpones the next run as long as its header says", async () => {
    world.max.disturb = () =>
      refuse(429, "too.many.requests", "Slow down", { "retry-after": "300" });
    expect(await world.after(15 * MINUTE_MS)).toMatchObject({ failures: 1 });
    const before = world.max.requests.length;
    world.max.disturb = () => undefined;
    await world.after(5 * MINUTE_MS - 1);
    expect(world.max.requests).toHaveLength(before);
    await world.after(1);
    expect(world.stored(mid)?.text).toBe("новое");
  });

  test("a 429 may give the wait in its body", async () => {
    world.disturbNetwork = () => ({
      status: 429,
      body: '{"code":"too.many.requests","message":"Slow down","retry_after":120}',
    });
    const { retryAt } = await world.after(15 * MINUTE_MS);
    expect(retryAt).toBe(world.appliance.ports.clock.now() + 2 * MINUTE_MS);
  });

  test("a revoked token is reported in one line", async () => {
    world.max.token = "another-token-of-it";
    await world.after(15 * MINUTE_MS);
    expect(await world.failure()).toContain("does not know this token");
  });

  test("an address that answers HTML is reported in one line", async () => {
    world.disturbNetwork = () => ({ status: 200, body: "<html>hello</html>" });
    await world.after(15 * MINUTE_MS);
    expect(await world.failure()).toContain("not an answer of the messenger's API");
  });

  test("another program that receives the updates is reported, and known channels are still read", async () => {
    world.max.subscriptions.push({ url: "https://elsewhere.example/", secret: "secret" });
    await world.after(15 * MINUTE_MS);
    expect(await world.failure()).toContain("to another program (a subscription)");
    expect(world.stored(mid)?.text).toBe("новое");
  });

  test("a fault in one channel does not affect the others", async () => {
    world.max.addChannel({ id: TALES, title: "Сказки" });
    const tale = world.max.post(TALES, "жили-были");
    world.disturbNetwork = (url) =>
      url.includes(String(NEWS)) ? { status: 500, body: "{}" } : undefined;
    expect(await world.after(15 * MINUTE_MS)).toMatchObject({ failures: 1 });
    expect(world.stored(tale)?.text).toBe("жили-были");
    world.disturbNetwork = () => undefined;
    expect(await world.after(MINUTE_MS)).toMatchObject({ failures: 0 });
    expect(world.stored(mid)?.text).toBe("новое");
  });

  test("requests begin at most twenty times a second", async () => {
    const waits: number[] = [];
    const { clock } = world.appliance.ports;
    clock.sleep = async (durationMs) => {
      waits.push(durationMs);
      clock.advance(durationMs);
    };
    const before = world.max.requests.length;
    await world.after(15 * MINUTE_MS);
    const requests = world.max.requests.length - before;
    expect(requests).toBeGreaterThan(3);
    expect(waits.filter((wait) => wait === 50)).toHaveLength(requests - 1);
  });
});
