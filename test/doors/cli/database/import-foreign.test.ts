import { afterEach, beforeEach, expect, test } from "bun:test";
import { gzipSync } from "node:zlib";
import { createMachine, type Machine } from "../../../support/machine.ts";

/** Living data, section 6: files in the form that other programs write, imported by the real command. */

let machine: Machine;
beforeEach(async () => {
  machine = createMachine();
  machine.write(
    "channels.csv",
    "id,msgr_id,handle,title,subscribers\n1,-1001234567890,first_channel,Before,900\n2,5,other,Other,1\n",
  );
  await machine.json(["import", "channels", "channels.csv"]);
});
afterEach(() => machine.leave());

const desktop = ["--from", "telegram-desktop"];
const NOT_INCLUDED = "(File not included. Change data exporting settings to download.)";
const plain = (text: string) => ({ text, text_entities: [{ type: "plain", text }] });

/** The history of one channel as Telegram Desktop 5 writes it. */
const RESULT_JSON = JSON.stringify(
  {
    ...{ name: "Первый канал", type: "public_channel", id: 1234567890 },
    messages: [
      {
        ...{ id: 1, type: "service", date: "2025-01-01T10:00:00", date_unixtime: "1735714800" },
        ...{ actor: "Первый канал", actor_id: "channel1234567890" },
        ...{ action: "create_channel", title: "Первый канал", text: "", text_entities: [] },
      },
      {
        ...{ id: 2, type: "message", date: "2025-01-01T10:00:00", date_unixtime: "1735714800" },
        ...{ edited: "2025-01-01T11:00:00", edited_unixtime: "1735718400" },
        ...{ from: "Первый канал", from_id: "channel1234567890", author: "Ада" },
        ...{ photo: NOT_INCLUDED, photo_file_size: 83_654, width: 1280, height: 720 },
        text: [
          { type: "bold", text: "Смотрите" },
          ":\n",
          { type: "text_link", text: "сюда", href: "https://example.com/?a=1&b=2" },
          " 🙂",
        ],
        text_entities: [{ type: "bold", text: "Смотрите" }],
        reactions: [
          { type: "emoji", count: 30, emoji: "👍" },
          { type: "custom_emoji", count: 4, document_id: NOT_INCLUDED },
          { type: "paid", count: 1 },
        ],
      },
      {
        ...{ id: 3, type: "message", date: "2025-01-01T12:00:00", date_unixtime: "1735722000" },
        ...{ from: "Первый канал", from_id: "channel1234567890" },
        ...{ forwarded_from: "Другой", forwarded_from_id: "channel5", file: NOT_INCLUDED },
        ...{ file_name: "a.mp4", file_size: 9_000_000, thumbnail: NOT_INCLUDED },
        ...{ media_type: "video_file", mime_type: "video/mp4", duration_seconds: 60 },
        ...{ width: 640, height: 480, ...plain("Видео") },
      },
      {
        ...{ id: 4, type: "message", date: "2025-01-02T12:00:00", date_unixtime: "1735808400" },
        ...{ from: "Первый канал", from_id: "channel1234567890", text: "", text_entities: [] },
        poll: {
          ...{ question: "Да?", closed: false, total_voters: 3 },
          answers: [{ text: "Да", voters: 3, chosen: false }],
        },
      },
    ],
  },
  null,
  1,
);

const NO_FLAGS = { out: false, mentioned: false, media_unread: false, silent: false, post: true };
const IN_CHANNEL = { peer_id: { _: "PeerChannel", channel_id: 1234567890 }, from_id: null };

/** Messages as written by Telethon's `to_json()`. */
const TELETHON = [
  {
    ...{ _: "MessageService", id: 1, ...IN_CHANNEL, date: "2025-01-01T07:00:00+00:00" },
    action: { _: "MessageActionChannelCreate", title: "Первый канал" },
  },
  {
    ...{ _: "Message", id: 2, ...IN_CHANNEL, ...NO_FLAGS, date: "2025-01-01T07:00:00+00:00" },
    ...{ message: "Смотрите: сюда 🙂", edit_hide: false, pinned: false, noforwards: false },
    ...{ fwd_from: null, via_bot_id: null, reply_to: null, reply_markup: null },
    media: { _: "MessageMediaPhoto", spoiler: false, photo: { _: "Photo", id: 5, sizes: [] } },
    entities: [{ _: "MessageEntityBold", offset: 0, length: 8 }],
    ...{ views: 1423, forwards: 12, edit_date: "2025-01-01T08:00:00+00:00", post_author: "Ада" },
    replies: { _: "MessageReplies", replies: 7, replies_pts: 1, comments: true, channel_id: 77 },
    reactions: {
      ...{ _: "MessageReactions", min: false, can_see_list: false },
      results: [
        { _: "ReactionCount", reaction: { _: "ReactionEmoji", emoticon: "👍" }, count: 30 },
        { _: "ReactionCount", reaction: { _: "ReactionPaid" }, count: 5 },
      ],
    },
    ...{ grouped_id: null, restriction_reason: [], ttl_period: null },
  },
  {
    ...{ _: "Message", id: 3, ...IN_CHANNEL, ...NO_FLAGS, date: "2025-01-01 09:00:00+00:00" },
    fwd_from: {
      ...{ _: "MessageFwdHeader", date: "2025-01-01T08:00:00+00:00", imported: false },
      ...{ from_id: { _: "PeerChannel", channel_id: 5 }, from_name: null, channel_post: 9 },
    },
    ...{ message: "Видео", media: null, entities: [], views: null, forwards: null, replies: null },
    ...{ edit_date: null, reactions: null, grouped_id: null },
  },
];

const CHAT = {
  ...{ _: "Chat", id: -1001234567890, type: "ChatType.CHANNEL", is_verified: false },
  ...{ title: "Первый канал", username: "first_channel", has_protected_content: false },
};

/** Messages as written by Pyrogram's `str(message)`, on a machine in Moscow. */
const PYROGRAM = [
  {
    ...{ _: "Message", id: 1, sender_chat: CHAT, date: "2025-01-01 10:00:00", chat: CHAT },
    ...{ service: "MessageServiceType.CHANNEL_CHAT_CREATED", channel_chat_created: true },
  },
  {
    ...{ _: "Message", id: 2, sender_chat: CHAT, date: "2025-01-01 10:00:00", chat: CHAT },
    ...{
      edit_date: "2025-01-01 11:00:00",
      media: "MessageMediaType.PHOTO",
      author_signature: "Ада",
    },
    ...{ caption: "Смотрите: сюда 🙂", has_media_spoiler: false, views: 1423, forwards: 12 },
    photo: { _: "Photo", file_id: "AgAC", date: "2025-01-01 10:00:00", width: 1280, height: 720 },
    reactions: { _: "MessageReactions", reactions: [{ _: "Reaction", emoji: "👍", count: 35 }] },
  },
  {
    ...{ _: "Message", id: 3, sender_chat: CHAT, date: "2025-01-01 12:00:00", chat: CHAT },
    ...{ text: "Видео", views: 900, forwards: 0, forward_from_message_id: 9 },
    forward_from_chat: { _: "Chat", id: -1000000000005, type: "ChatType.CHANNEL", title: "Другой" },
  },
];

const posts = () =>
  machine.query<Record<string, unknown>>(
    `SELECT channel_id AS channel, CAST(msgr_post_id AS TEXT) AS number, text, published_at AS at,
       edited_at, views, views_at IS NOT NULL AS is_read, media, forwards, reactions, comments,
       forwarded_from, forwarded_from_name AS source
     FROM posts ORDER BY published_at`,
  );

const AT = Date.parse("2025-01-01T10:00:00+03:00");
const HOUR_MS = 60 * 60 * 1000;
const NOT_FORWARDED = { forwarded_from: null, source: null };
const UNKNOWN = { forwards: null, reactions: null, comments: null, ...NOT_FORWARDED };
const NEVER_READ = { views: 0, is_read: 0 };

test("a channel's history from Telegram Desktop, compressed or not, fills in the channel and its posts", async () => {
  machine.write("result.json", RESULT_JSON);
  const channels = await machine.json(["import", "channels", "result.json", ...desktop]);
  expect(channels).toMatchObject({ read: 1, updated: 1, rejected: 0 });
  expect(machine.query("SELECT title, handle FROM channel_cards WHERE id = 1")).toEqual([
    { title: "Первый канал", handle: "first_channel" },
  ]);

  const first = await machine.json(["import", "posts", "result.json", ...desktop]);
  expect(first).toMatchObject({ read: 3, inserted: 3, rejected: 0, warnings: [] });
  const beginning = { channel: 1, ...NEVER_READ };
  expect(posts()).toEqual([
    {
      ...{ ...beginning, number: "2", text: "Смотрите:\nсюда 🙂", at: AT, edited_at: AT + HOUR_MS },
      ...{ ...UNKNOWN, media: "photo", reactions: 35 },
    },
    {
      ...{ ...beginning, number: "3", text: "Видео", at: AT + 2 * HOUR_MS, edited_at: null },
      ...{ ...UNKNOWN, media: "video", forwarded_from: 2, source: "Другой" },
    },
    {
      ...{ ...beginning, number: "4", text: "Да?", at: AT + 26 * HOUR_MS, edited_at: null },
      ...{ ...UNKNOWN, media: "poll" },
    },
  ]);

  machine.write("result.json.gz", gzipSync(RESULT_JSON));
  const again = await machine.json(["import", "posts", "result.json.gz", ...desktop]);
  expect(again).toMatchObject({ read: 3, unchanged: 3 });
});

test("an export of all chats of an account is refused with a hint", async () => {
  const { name, type, id, messages } = JSON.parse(RESULT_JSON);
  const list = [{ name, type, id, messages }];
  machine.write("result.json", JSON.stringify({ about: "Here is", chats: { about: "", list } }));
  const { exitCode, notes } = await machine.run(["import", "posts", "result.json", ...desktop]);
  expect(exitCode).toBe(2);
  expect(notes).toContain("The file has no messages in the format of telegram-desktop.");
  expect(posts()).toEqual([]);
});

for (const [from, messages, comments] of [
  ["telethon", TELETHON, 7],
  ["pyrogram", PYROGRAM, null],
] as const) {
  test(`messages from ${from}, as an array or one per line, become the channel's posts`, async () => {
    machine.write("dump.json", JSON.stringify(messages, null, 2));
    machine.write("dump.ndjson", messages.map((one) => `${JSON.stringify(one)}\n`).join(""));
    const first = await machine.json(["import", "posts", "dump.json", "--from", from]);
    expect(first).toMatchObject({ read: 2, inserted: 2, rejected: 0, warnings: [] });
    const [second, third] = posts();
    expect(second).toEqual({
      ...{ channel: 1, number: "2", text: "Смотрите: сюда 🙂", at: AT, edited_at: AT + HOUR_MS },
      ...{ views: 1423, is_read: 1, media: "photo", forwards: 12, reactions: 35, comments },
      ...NOT_FORWARDED,
    });
    expect(third).toMatchObject({ number: "3", text: "Видео", at: AT + 2 * HOUR_MS });
    expect(third).toMatchObject({ media: "", forwarded_from: 2 });
    // Counts that the dump does not contain are unknown, not 0.
    const { forwards, reactions } = UNKNOWN;
    if (from === "telethon") expect(third).toMatchObject({ ...NEVER_READ, forwards, reactions });

    const again = await machine.json(["import", "posts", "dump.ndjson", "--from", from]);
    expect(again).toMatchObject({ read: 2, unchanged: 2 });
  });
}

test("a file about a channel that is not there makes it, and says so in one line", async () => {
  machine.write("result.json", RESULT_JSON.replaceAll("1234567890", "777"));
  const { exitCode, notes } = await machine.run(["import", "posts", "result.json", ...desktop]);
  expect({ exitCode, notes }).toEqual({
    exitCode: 0,
    notes:
      "Channel 777 was not in the catalog and is added as “Первый канал”; its subscribers are not known.\n",
  });
  const made = "SELECT title, subscribers_at FROM channels JOIN channel_cards USING (id)";
  expect(machine.query(`${made} WHERE msgr_id = 777`)).toEqual([
    { title: "Первый канал", subscribers_at: null },
  ]);
});
