import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { NewBot } from "../../../src/catalog/sources/source-adding.ts";
import type { Source } from "../../../src/catalog/sources/sources.table.ts";
import { COMMAND_LINE } from "../../../src/customers/audit/audit-log.ts";
import { inEnglish } from "../../../src/values/messages/messages.ts";
import { type Appliance, startAppliance } from "../../support/appliance.ts";
import {
  createFakeTelegram,
  type FakeTelegram,
  PHOTO,
  TELEGRAM_TOKEN,
} from "../../support/fake-telegram.ts";

/** Channels of a Telegram bot, which enter the catalog automatically (sources, section 3). */

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

let appliance: Appliance;
let telegram: FakeTelegram;
beforeEach(async () => {
  appliance = await startAppliance();
  telegram = createFakeTelegram(appliance.ports.clock.now);
  appliance.ports.network.answerGet = telegram.answerGet;
});
afterEach(() => appliance.close());

function add(given: Partial<NewBot> = {}): Promise<Source> {
  const usual = {
    kind: "telegram",
    token: TELEGRAM_TOKEN,
    name: "",
    api: "",
    schedule: "",
  } as const;
  return appliance.app.sources.addBot({ ...usual, ...given }, COMMAND_LINE);
}

/** Starts what is due, as the process does every few seconds, and waits for its end. */
async function look(): Promise<Source> {
  await appliance.app.sources.tick();
  await appliance.app.sources.settled();
  return appliance.app.sources.find("@kanalog_bot");
}

const pass = (durationMs: number) => appliance.ports.clock.advance(durationMs);
async function lookAgain(): Promise<Source> {
  pass(MINUTE_MS);
  return look();
}

const failureOf = ({ failure }: Source) => (failure === null ? null : inEnglish(failure));
const card = async (handle = "utro") => appliance.get(`/v1/msgr/channels/${handle}/`);
async function posts(handle = "utro"): Promise<Record<string, unknown>[]> {
  const { body } = await appliance.get(`/v1/msgr/channels/${handle}/posts/`);
  return body.results;
}
const texts = async (handle = "utro") => (await posts(handle)).map(({ text }) => text);
const db = () => appliance.app.domains.db;
const called = (method: string) => telegram.calls.filter((call) => call.method === method);
const chats = async () => {
  const [source] = await appliance.app.sources.list();
  return appliance.app.sources.chats(source?.id ?? 0);
};

describe("a bot", () => {
  test("is added under its name at the messenger; its token is stored encrypted", async () => {
    const source = await add();
    expect(source).toMatchObject({ name: "@kanalog_bot", kind: "telegram", schedule: "1m" });
    expect(source.settings).toEqual({
      ...{ kind: "telegram", api: "https://api.telegram.org", bot: "@kanalog_bot" },
    });
    const shown = JSON.stringify(source) + Buffer.from(source.secret ?? "").toString("latin1");
    expect(shown).not.toContain(TELEGRAM_TOKEN.slice(-20));
  });

  test("that is added twice at once, as by two forms, becomes one source", async () => {
    const added = await Promise.allSettled([add({ name: "one" }), add({ name: "other" })]);
    expect(added.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
    const [, refused] = added.toSorted((a, b) => a.status.localeCompare(b.status));
    const reads = expect.stringContaining("already reads this bot");
    expect(refused).toMatchObject({ reason: { fields: { token: [reads] } } });
    expect(await appliance.app.sources.list()).toHaveLength(1);
  });

  test.each([
    ["token", { token: "" }, "Enter the bot's token."],
    ["token", { token: "110201543" }, "This is not a token. A token looks like 110201543:AA"],
    ["token", { token: "1:../../x" }, "This is not a token. A token looks like 110201543:AA"],
    ["token", { token: "110201543:AAWrong" }, "The messenger does not know this token."],
    ["api", { api: "ftp://x/" }, "Enter an https:// address"],
    ["api", { api: "http://127.0.0.1:8081" }, "127.0.0.1 is in a private network"],
    ["api", { api: "https://192.168.1.1" }, "192.168.1.1 is in a private network"],
    ["schedule", { schedule: "0 0 30 2 *" }, "Enter an interval from 1m to 31d"],
  ])("is refused with a wrong %s %p, and leaves nothing behind", async (field, value, expected) => {
    await expect(add(value)).rejects.toMatchObject({
      fields: { [field]: [expect.stringContaining(expected)] },
    });
    expect(await appliance.app.sources.list()).toEqual([]);
  });

  test("can be added only once, because two readers would take each other's updates", async () => {
    await add();
    await expect(add({ name: "again" })).rejects.toMatchObject({
      fields: {
        token: [expect.stringContaining("The source @kanalog_bot already reads this bot.")],
      },
    });
  });

  test("of another API server is refused if that answers with an HTML page", async () => {
    telegram.fail("getMe", { status: 200, text: "<html>welcome</html>" });
    await expect(add({ api: "https://bots.example.com/" })).rejects.toMatchObject({
      fields: { token: [expect.stringContaining("Is the address of the API correct?")] },
    });
  });

  test("in no channel is read without a fault", async () => {
    await add();
    expect(await look()).toMatchObject({ failures: 0, failure: null, summary: null });
  });

  test("requests only posts, edits and its own membership, and waits as long as permitted", async () => {
    await add();
    await look();
    const [{ parameters } = { parameters: new URLSearchParams() }] = called("getUpdates");
    expect(Object.fromEntries(parameters)).toEqual({
      ...{ timeout: "50", limit: "20" },
      allowed_updates:
        '["channel_post","edited_channel_post","my_chat_member","message_reaction_count"]',
    });
  });

  test("that is run by hand does not wait for updates", async () => {
    const { id } = await add();
    await appliance.app.sources.runNow(id);
    expect(called("getUpdates")[0]?.parameters.get("timeout")).toBe("0");
  });
});

describe("a channel", () => {
  test("appears with its card when the bot is added", async () => {
    await add();
    telegram.addChannel();
    await look();
    expect((await card()).body).toMatchObject({
      ...{ handle: "utro", title: "Утренние новости", description: "О городе", kind: "channel" },
      ...{ subscribers: 1200, link: "https://t.me/utro" },
    });
  });

  test("already known by its bare id or by its handle is recognized", async () => {
    await appliance.importRows("channels", [
      { id: 5, msgr_id: "1234567890", title: "Old", subscribers: 1 },
      { id: 6, handle: "vecher", title: "Old", subscribers: 1 },
    ]);
    await add();
    telegram.addChannel();
    telegram.addChannel({ id: -1009876543210, username: "vecher", title: "Вечер" });
    await look();
    expect((await card()).body).toMatchObject({ id: 5, title: "Утренние новости" });
    expect((await card("vecher")).body).toMatchObject({ id: 6, title: "Вечер" });
  });

  test("that the bot joined before the source was added appears with its first post", async () => {
    const id = telegram.addChannel();
    pass(DAY_MS);
    await add();
    telegram.post(id, "Доброе утро");
    await look();
    expect(await texts()).toEqual(["Доброе утро"]);
  });

  test("is no longer read once the bot is removed, and is read again once it is back", async () => {
    await add();
    const id = telegram.addChannel();
    telegram.post(id, "one");
    await look();
    telegram.membership(id, false);
    await lookAgain();
    expect(await chats()).toMatchObject([{ isRead: false }]);
    telegram.post(id, "unseen");
    const before = called("getChat").length;
    pass(2 * DAY_MS);
    await look();
    expect(called("getChat")).toHaveLength(before);
    telegram.membership(id, true);
    telegram.post(id, "two");
    await lookAgain();
    expect(await chats()).toMatchObject([{ isRead: true }]);
    expect(await texts()).toEqual(["two", "one"]);
  });

  test("keeps its posts if the bot was removed before they were read", async () => {
    await add();
    const id = telegram.addChannel({ id: -1001000000005, title: "Kurz", username: "kurz" });
    telegram.post(id, "before it was removed");
    telegram.membership(id, false);
    expect(await look()).toMatchObject({ failures: 0 });
    expect(await texts("kurz")).toEqual(["before it was removed"]);
    expect(await chats()).toMatchObject([{ isRead: false }]);
  });

  test("whose title, picture or handle changes has its card read at once", async () => {
    await add();
    const id = telegram.addChannel();
    await look();
    telegram.rename(id, { title: "Новое имя" });
    await lookAgain();
    expect((await card()).body).toMatchObject({ title: "Новое имя" });
    const before = called("getChat").length;
    telegram.say(id, { delete_chat_photo: true });
    await lookAgain();
    expect(called("getChat")).toHaveLength(before + 1);
    telegram.rename(id, { username: "utro_new" });
    telegram.post(id, "under the new handle");
    await lookAgain();
    expect((await card("utro_new")).body).toMatchObject({ former_handles: ["utro"] });
    expect(await texts("utro_new")).toEqual(["under the new handle"]);
    expect(await posts("utro")).toHaveLength(1);
  });

  test("that becomes a supergroup keeps its number here", async () => {
    await add();
    telegram.addChannel({ id: -4001, title: "Чат", username: undefined, type: "group" });
    await look();
    const { number } = db()
      .prepare<{ number: number }>("SELECT id AS number FROM channel_cards WHERE msgr_id = -4001")
      .get() ?? { number: 0 };
    telegram.migrate(-4001, -1001000007777);
    pass(DAY_MS);
    await look();
    await lookAgain();
    expect(db().prepare("SELECT id, msgr_id FROM channel_cards WHERE id = ?").get(number)).toEqual({
      id: number,
      msgr_id: 1000007777,
    });
    expect(await chats()).toMatchObject([{ chat: "-1001000007777", isRead: true, fault: null }]);
    expect((await appliance.get(`/v1/msgr/channels/${number}/`)).body).toMatchObject({
      kind: "chat",
    });
  });

  test("is not created by somebody who writes to the bot or blocks it", async () => {
    await add();
    telegram.tell("my_chat_member", {
      ...{ chat: { id: 77, type: "private", first_name: "Ада" }, date: 1 },
      ...{ new_chat_member: { status: "member" }, old_chat_member: { status: "kicked" } },
    });
    expect(await look()).toMatchObject({ failures: 0 });
    expect(await chats()).toEqual([]);
  });
});

describe("cards and subscribers", () => {
  test("are read daily at 23:50, and count for that day", async () => {
    await add();
    const id = telegram.addChannel();
    await look();
    const channel = telegram.channels.get(id);
    if (channel !== undefined) channel.subscribers = 1300;
    appliance.ports.clock.set("2026-11-20T23:49:00+03:00");
    await look();
    expect((await card()).body.subscribers).toBe(1200);
    await lookAgain();
    expect((await card()).body.subscribers).toBe(1300);
    const rows = db().prepare("SELECT day, subscribers FROM daily_statistics").all();
    expect(rows).toEqual([{ day: 20_777, subscribers: 1300 }]);
    const calls = called("getChat").length;
    await lookAgain();
    expect(called("getChat")).toHaveLength(calls);
  });

  test("that are read hours late do not count for the day before", async () => {
    await add();
    telegram.addChannel();
    await look();
    appliance.ports.clock.set("2026-11-21T03:00:00+03:00");
    await look();
    expect(called("getChatMemberCount")).toHaveLength(2);
    expect(db().prepare("SELECT * FROM daily_statistics").all()).toEqual([]);
  });

  test("of a channel that denies access do not affect the others or any posts", async () => {
    await add();
    const id = telegram.addChannel();
    telegram.addChannel({ id: -1001000000002, username: "other", title: "Other", subscribers: 5 });
    await look();
    telegram.fail("getChat", { status: 403, description: "Forbidden: bot was kicked" });
    pass(DAY_MS);
    telegram.post(id, "still read");
    expect(await look()).toMatchObject({ failures: 0, failure: null });
    expect(await texts()).toEqual(["still read"]);
  });

  test("are postponed if the messenger asks to wait, and no post is lost", async () => {
    await add();
    const id = telegram.addChannel();
    await look();
    pass(DAY_MS);
    telegram.post(id, "read before the cards");
    telegram.fail("getChat", {
      ...{ status: 429, description: "Too Many Requests: retry after 600", retryAfter: 600 },
    });
    const source = await look();
    expect(failureOf(source)).toContain("429 Too Many Requests");
    expect(await texts()).toEqual(["read before the cards"]);
    const calls = telegram.calls.length;
    pass(10 * MINUTE_MS - 1);
    await look();
    expect(telegram.calls).toHaveLength(calls);
    pass(1);
    expect(await look()).toMatchObject({ failures: 0 });
  });
});

describe("posts", () => {
  let id: number;
  beforeEach(async () => {
    await add();
    id = telegram.addChannel();
    await look();
  });

  test("have everything that the messenger reports, with unknown views", async () => {
    telegram.say(id, {
      ...{ ...PHOTO, caption: "Рассвет" },
      forward_origin: {
        ...{ type: "channel", message_id: 3, date: 1 },
        chat: { id: -1001000000555, type: "channel", title: "Другой", username: "other" },
      },
    });
    await lookAgain();
    expect(await posts()).toMatchObject([
      {
        ...{ text: "Рассвет", media: ["photo"], views: 0, views_at: null, edited_at: null },
        ...{ link: "https://t.me/utro/1", msgr_post_id: "1", forwarded_from_name: "Другой" },
        ...{ forwards: null, reactions: null, comments: null, forwarded_from: null },
      },
    ]);
  });

  test.each<[string, Parameters<FakeTelegram["say"]>[1], unknown]>([
    ["an animation", { animation: {} as never, document: {} as never }, { media: ["video"] }],
    ["a poll", { poll: { question: "?" } as never }, { media: ["poll"], text: "?" }],
    ["a giveaway", { giveaway: {} as never }, { media: ["other"] }],
    [
      "a rich message",
      {
        rich_message: {
          blocks: [
            { type: "heading", size: 1, text: "Итоги" },
            { type: "paragraph", text: ["За ", { type: "bold", text: "день" }, "."] },
            { type: "photo", photo: [], caption: { text: "Фото", credit: "Ада" } },
            {
              type: "list",
              items: [{ label: "1.", blocks: [{ type: "paragraph", text: "первое" }] }],
            },
          ],
        },
      },
      { text: "Итоги\nЗа день.\nФото\nАда\n1. первое", media: ["photo"] },
    ],
  ])("may be %s", async (_, content, expected) => {
    telegram.say(id, content);
    await lookAgain();
    expect(await posts()).toMatchObject([expected as object]);
  });

  test("do not include service messages, nor a video that has not been sent yet", async () => {
    telegram.say(id, { pinned_message: {} as never });
    telegram.say(id, { new_chat_title: "Утренние новости" });
    telegram.say(id, { video: {} as never, caption: "soon" }, 0);
    await lookAgain();
    expect(await posts()).toEqual([]);
  });

  test("follow edits made before and after they were read", async () => {
    const first = telegram.post(id, "one");
    telegram.edit(id, first, { text: "one, edited at once" });
    const second = telegram.post(id, "two");
    await lookAgain();
    pass(3 * HOUR_MS);
    telegram.edit(id, second, { text: "two, edited later" });
    await lookAgain();
    expect(await texts()).toEqual(["two, edited later", "one, edited at once"]);
    expect((await posts())[0]?.["edited_at"]).not.toBeNull();
  });

  test("that were taken down do not come back with an edit", async () => {
    const number = telegram.post(id, "wrong");
    await lookAgain();
    await appliance.importRows("posts", [
      { channel_msgr_id: "1234567890", msgr_post_id: String(number), deleted: true },
    ]);
    telegram.edit(id, number, { text: "wrong again" });
    await lookAgain();
    expect(await posts()).toEqual([]);
  });

  test("in any number are read by one run, twenty at a time and each once, the offset with the posts", async () => {
    for (let number = 1; number <= 250; number++) telegram.post(id, `post ${number}`);
    pass(MINUTE_MS);
    const source = await look();
    expect(source.summary).toMatchObject({ read: 250, inserted: 250 });
    expect(source.position.offset).toBe(874_119_000 + 252);
    expect(telegram.waiting()).toBe(0);
    await lookAgain();
    expect((await look()).summary).toMatchObject({ read: 250 });
  });

  test("that could not be stored are sent again, and are stored once", async () => {
    telegram.post(id, "one");
    db().exec(
      "CREATE TRIGGER no_post BEFORE INSERT ON posts BEGIN SELECT raise(FAIL, 'full'); END",
    );
    const source = await lookAgain();
    expect(source.failures).toBe(1);
    expect(telegram.waiting()).toBe(1);
    db().exec("DROP TRIGGER no_post");
    await lookAgain();
    expect(await texts()).toEqual(["one"]);
    // This test caused an error on purpose.
    appliance.ports.log.errors.length = 0;
  });

  test("from the future of a wrong clock wait until it is corrected", async () => {
    telegram.post(id, "of now");
    pass(-HOUR_MS);
    const source = await look();
    expect(failureOf(source)).toContain("Correct the clock");
    pass(2 * HOUR_MS);
    await look();
    expect(await texts()).toEqual(["of now"]);
  });

  test("in an unknown form are skipped, and later ones are read", async () => {
    telegram.tell("channel_post", { message_id: "x", chat: { id } });
    telegram.tell("channel_post", { message_id: 9, date: 1, chat: null });
    telegram.tell("my_chat_member", { chat: { id: 1.5, type: "channel" } });
    telegram.post(id, "good");
    expect(await lookAgain()).toMatchObject({ failures: 0 });
    expect(await texts()).toEqual(["good"]);
  });
});

describe("an album", () => {
  let id: number;
  beforeEach(async () => {
    await add();
    id = telegram.addChannel();
    await look();
  });

  test("is one post with the first message's number and all media", async () => {
    telegram.album(id, ["Подпись", "", ""], "13901");
    telegram.say(id, { video: {} as never, media_group_id: "13901" });
    await lookAgain();
    expect(await posts()).toMatchObject([
      {
        ...{ text: "Подпись", media: ["photo", "video"], album: "13901", msgr_post_id: "1" },
        link: "https://t.me/utro/1",
      },
    ]);
  });

  test("stays one post across two responses, and after edits of any of its messages", async () => {
    const [first = 0, second = 0] = telegram.album(id, ["Подпись", ""], "13901");
    await lookAgain();
    telegram.say(id, { video: {} as never, media_group_id: "13901" });
    await lookAgain();
    telegram.edit(id, second, { caption: "Вторая" });
    await lookAgain();
    expect(await posts()).toMatchObject([
      { text: "Подпись\n\nВторая", media: ["photo", "video"], msgr_post_id: String(first) },
    ]);
    telegram.edit(id, first, { caption: "" });
    await lookAgain();
    expect(await posts()).toMatchObject([{ text: "Вторая", media: ["photo", "video"] }]);
  });

  test("is distinguished by its channel from another one in the same response", async () => {
    const other = telegram.addChannel({ id: -1001000000002, username: "other", title: "Other" });
    telegram.album(id, ["a"], "1");
    telegram.album(other, ["b"], "1");
    telegram.album(id, ["a2"], "1");
    await lookAgain();
    expect(await texts()).toEqual(["a\n\na2"]);
    expect(await texts("other")).toEqual(["b"]);
  });

  test("from long ago keeps its text and media when one of its messages is edited", async () => {
    const [first = 0] = telegram.album(id, ["Подпись", "Вторая"], "13901");
    await lookAgain();
    telegram.album(id, ["Новая", ""], "13902");
    telegram.say(id, { ...PHOTO, media_group_id: "13903" }, 2_000);
    await lookAgain();
    const parts = db().prepare("SELECT message_id FROM source_album_parts").all();
    expect(parts).toEqual([{ message_id: 2_000 }]);
    telegram.edit(id, first, { caption: "Подпись, исправлена" });
    telegram.edit(id, first + 1, { caption: "" });
    await lookAgain();
    expect((await posts()).find(({ album }) => album === "13901")).toMatchObject({
      ...{ text: "Подпись, исправлена", media: ["photo"], msgr_post_id: String(first) },
    });
  });

  test("from an import keeps its number and text when another of its messages arrives", async () => {
    await appliance.importRows("posts", [
      {
        ...{ channel_msgr_id: "1234567890", msgr_post_id: "40", album: "77", media: "photo" },
        ...{ published_at: "2026-11-01T10:00:00Z", text: "из истории" },
      },
    ]);
    telegram.say(id, { ...PHOTO, media_group_id: "77" }, 41);
    await lookAgain();
    expect(await posts()).toMatchObject([{ msgr_post_id: "40", text: "из истории" }]);
  });
});

describe("the messenger", () => {
  beforeEach(() => add());

  test.each<[string, Parameters<FakeTelegram["fail"]>[1], string]>([
    [
      "a second poller",
      { status: 409, description: "Conflict: terminated by other getUpdates request" },
      "Another program reads this bot's updates.",
    ],
    [
      "a webhook",
      { status: 409, description: "Conflict: can't use getUpdates method while webhook is active" },
      "(a webhook)",
    ],
    [
      "a revoked token",
      { status: 401, description: "Unauthorized" },
      "The messenger does not know this token.",
    ],
    ["a 403", { status: 403, description: "Forbidden" }, "The messenger refused: 403 Forbidden"],
    ["a 502", { status: 502, text: "<html>Bad Gateway" }, "Is the address of the API correct?"],
    [
      "a hang-up",
      { fault: "broken" },
      "api.telegram.org closed the connection before the end of its response.",
    ],
    ["11 MB", { fault: "too_large" }, "api.telegram.org answered with more than 10 MB."],
    ["silence", { fault: "timeout" }, "api.telegram.org sent nothing for a minute."],
    [
      "an answer in another form",
      { status: 200, text: '{"ok":true,"result":{}}' },
      "Is the address",
    ],
  ])(
    "%s that lasts is reported in one line, without the token, and nothing is lost",
    async (_, fault, expected) => {
      const id = telegram.addChannel();
      telegram.post(id, "waits");
      telegram.fail("getUpdates", ...Array<typeof fault>(100).fill(fault));
      const source = await look();
      telegram.faults.clear();
      expect(failureOf(source)).toContain(expected);
      expect(failureOf(source)).not.toContain(TELEGRAM_TOKEN.slice(-20));
      expect(source).toMatchObject({ failures: 1 });
      expect(await lookAgain()).toMatchObject({ failures: 0, failure: null });
      expect(await texts()).toEqual(["waits"]);
    },
  );

  /** Lets time pass while the source waits. @returns the waits so far, in seconds */
  function noteWaits(): number[] {
    const waits: number[] = [];
    const { clock } = appliance.ports;
    clock.sleep = async (durationMs) => {
      waits.push(durationMs / 1000);
      clock.advance(durationMs);
    };
    return waits;
  }

  test.each<[string, Parameters<FakeTelegram["fail"]>[1], wait: number]>([
    ["a 502", { status: 502, text: "<html>Bad Gateway" }, 1],
    ["a hang-up", { fault: "broken" }, 1],
    ["silence", { fault: "timeout" }, 1],
    ["half an answer", { status: 200, text: '{"ok":true,"resu' }, 1],
    ["a 429", { status: 429, description: "Too Many Requests", retryAfter: 7 }, 7],
    ["a 429 without a wait", { status: 429, description: "Too Many Requests", retryAfter: 0 }, 1],
  ])("%s that passes is tried again within the run, after seconds", async (_, fault, wait) => {
    const id = telegram.addChannel();
    telegram.post(id, "after it");
    telegram.fail("getUpdates", fault);
    telegram.fail("getChat", fault);
    const waits = noteWaits();
    expect(await look()).toMatchObject({ failures: 0, failure: null });
    expect(waits).toEqual([wait, wait]);
    expect(await texts()).toEqual(["after it"]);
  });

  test("that stays away for half a minute ends the run; one run by hand waits for nothing", async () => {
    const down = Array(100).fill({ fault: "unreachable" } as const);
    telegram.fail("getUpdates", ...down);
    const waits = noteWaits();
    const { id, failures } = await look();
    expect([failures, waits]).toEqual([1, [1, 2, 4, 8, 16]]);
    await appliance.app.sources.runNow(id);
    expect(waits).toHaveLength(5);
  });

  test("that asks to wait gets no request before", async () => {
    const description = "Too Many Requests: retry after 1800";
    telegram.fail("getUpdates", { status: 429, description, retryAfter: 1800 });
    await look();
    pass(30 * MINUTE_MS - 1);
    await look();
    expect(called("getUpdates")).toHaveLength(1);
    pass(1);
    await look();
    expect(called("getUpdates")).toHaveLength(2);
  });

  test("keeps updates for a day, so a longer time without reading is reported", async () => {
    const id = telegram.addChannel();
    telegram.post(id, "one");
    await look();
    const [{ id: source } = { id: 0 }] = await appliance.app.sources.list();
    await appliance.app.sources.pauseSource(source, COMMAND_LINE);
    const from = appliance.ports.clock.now();
    telegram.post(id, "lost at the messenger");
    pass(DAY_MS + HOUR_MS);
    telegram.post(id, "two");
    await appliance.app.sources.resumeSource(source, COMMAND_LINE);
    const { position } = await look();
    expect(position.gap).toEqual({ from, to: from + DAY_MS + HOUR_MS });
    expect(await texts()).toEqual(["two", "one"]);
    for (let days = 0; days < 32; days++) {
      pass(DAY_MS - HOUR_MS);
      await look();
    }
    expect((await look()).position.gap).toBeUndefined();
  });

  test("that fails for three minutes makes the source silent, and /readyz says so", async () => {
    for (let minutes = 0; minutes < 5; minutes++) {
      telegram.fail("getUpdates", { status: 409, description: "Conflict: terminated" });
      await lookAgain();
    }
    expect(await appliance.request("/readyz")).toMatchObject({
      ...{
        status: 200,
        body: { checks: { sources: expect.stringContaining("intervals: @kanalog_bot") } },
      },
    });
  });

  test("may renumber updates after a week without any, and they are still read", async () => {
    const id = telegram.addChannel();
    telegram.post(id, "one");
    await look();
    for (let days = 0; days < 8; days++) {
      pass(DAY_MS - HOUR_MS);
      await look();
    }
    telegram.renumber(1_000);
    telegram.post(id, "two");
    telegram.post(id, "three");
    expect((await lookAgain()).position.offset).toBe(1_002);
    expect(await texts()).toEqual(["three", "two", "one"]);
    expect((await lookAgain()).position.gap).toBeUndefined();
  });
});

describe("a run", () => {
  /**
   * Makes the messenger hold requests for updates until they are aborted, as it does for 50 seconds.
   * @returns settles with the first such request
   */
  function holdUp(): Promise<void> {
    const { promise: requested, resolve } = Promise.withResolvers<void>();
    const { answerGet } = telegram;
    appliance.ports.network.answerGet = (url, { signal }) => {
      if (!url.includes("getUpdates")) return answerGet(url);
      resolve();
      const { promise, resolve: end } = Promise.withResolvers<{ fault: "timeout" }>();
      signal?.addEventListener("abort", () => end({ fault: "timeout" }));
      return promise;
    };
    return requested;
  }

  test.each(["pauseSource", "removeSource"] as const)("ends after %s", async (verb) => {
    const { id } = await add();
    const requested = holdUp();
    await appliance.app.sources.tick();
    await requested;
    await appliance.app.sources[verb](id, COMMAND_LINE);
    await appliance.app.sources.tick();
    await appliance.app.sources.settled();
    const [source] = await appliance.app.sources.list();
    expect(source ?? null).toEqual(
      verb === "removeSource"
        ? null
        : expect.objectContaining({ owner: null, isPaused: true, failures: 0, isRequested: false }),
    );
  });

  test("requested by somebody completes although the source is paused", async () => {
    const { id } = await add();
    await appliance.app.sources.pauseSource(id, COMMAND_LINE);
    await appliance.app.sources.requestRun(id, COMMAND_LINE);
    const channel = telegram.addChannel();
    telegram.post(channel, "asked for");
    await look();
    expect(await texts()).toEqual(["asked for"]);
  });

  test("ends at once when the process stops, and is not a failure", async () => {
    await add();
    const requested = holdUp();
    await appliance.app.sources.tick();
    await requested;
    await appliance.app.sources.stop();
    expect(await appliance.app.sources.list()).toMatchObject([
      { owner: null, failures: 0, isRequested: true },
    ]);
  });

  test("of a bot holds up no file, because bots are limited separately", async () => {
    await add();
    const requested = holdUp();
    const reading = { format: null, from: null, map: {}, ignoreUnknown: false };
    const options = {
      rows: "channels",
      reading,
      timezone: "Europe/Moscow",
      strict: false,
    } as const;
    for (const name of ["1", "2", "3", "4"]) {
      const settings = { kind: "pull", url: `https://${name}.example.com/`, ...options } as const;
      await appliance.app.sources.add(
        { name: `files ${name}`, schedule: "15m", headers: {}, settings },
        COMMAND_LINE,
      );
    }
    await appliance.app.sources.tick();
    await requested;
    expect(appliance.ports.network.downloads).toHaveLength(4);
    await appliance.app.sources.stop();
  });
});
