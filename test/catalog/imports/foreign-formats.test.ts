import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import {
  createForeignRows,
  type ForeignFormatName,
} from "../../../src/catalog/imports/reading/foreign/foreign-formats.ts";
import { readJson, readNdjson } from "../../../src/catalog/imports/reading/json-rows.ts";
import type { InputRow } from "../../../src/catalog/imports/reading/recognized.ts";
import { type Appliance, startAppliance } from "../../support/appliance.ts";
import { importText } from "../../support/import-text.ts";

/** All columns that formats can fill, including any that the import does not have yet. */
const COLUMNS = [
  ...["channel", "channel_msgr_id", "msgr_post_id", "text", "views", "published_at", "edited_at"],
  ...["media", "forwards", "reactions", "comments", "forwarded_from_name", "album"],
];

async function postsOf(from: ForeignFormatName, content: string): Promise<unknown[]> {
  const rows = createForeignRows(from, "posts", COLUMNS);
  const pieces = (async function* () {
    for (const piece of content.match(/.{1,50}/gs) ?? []) yield piece;
  })();
  const isNdjson = content.startsWith("{") && from !== "telegram-desktop";
  const read: InputRow[] = [];
  for await (const some of isNdjson ? readNdjson(pieces, rows) : readJson(pieces, rows)) {
    read.push(...some);
  }
  return read.map((row) => ("fields" in row ? row.fields : row));
}

const DESKTOP = JSON.stringify(
  {
    ...{ name: "Первый", type: "public_channel", id: 1234567890 },
    messages: [
      { id: 1, type: "service", date: "2025-01-01T10:00:00", action: "create_channel" },
      {
        ...{ id: 2, type: "message", date: "2025-01-01T10:00:00", date_unixtime: "1735714800" },
        ...{ edited: "2025-01-01T11:00:00", edited_unixtime: "1735718400" },
        ...{ from: "Первый", from_id: "channel1234567890", photo: "photos/photo_1.jpg" },
        text: ["Смотрите ", { type: "link", text: "https://example.com" }, "!"],
        reactions: [
          { type: "emoji", count: 3, emoji: "👍" },
          { type: "emoji", count: 4, emoji: "🔥" },
        ],
      },
      {
        ...{ id: 3, type: "message", date: "2025-01-01T12:00:00", date_unixtime: "1735722000" },
        ...{ forwarded_from: "Второй", media_type: "voice_message", file: "voice.ogg", text: "" },
      },
    ],
  },
  null,
  1,
);

const TELETHON = [
  { _: "MessageService", id: 1, peer_id: { _: "PeerChannel", channel_id: 1234567890 } },
  {
    ...{ _: "Message", id: 2, peer_id: { _: "PeerChannel", channel_id: 1234567890 } },
    ...{ date: "2025-01-01T07:00:00+00:00", message: "Текст", views: 100, forwards: 5 },
    ...{ edit_date: "2025-01-01T08:00:00+00:00", edit_hide: false },
    replies: { _: "MessageReplies", replies: 7 },
    reactions: { _: "MessageReactions", results: [{ count: 3 }, { count: 4 }] },
    fwd_from: { _: "MessageFwdHeader", from_name: "Второй" },
    media: {
      _: "MessageMediaDocument",
      document: { attributes: [{ _: "DocumentAttributeVideo", duration: 5 }] },
    },
  },
  {
    ...{ _: "Message", id: 3, peer_id: { _: "PeerChannel", channel_id: 1234567890 } },
    ...{ date: "2025-01-01T09:00:00+00:00", message: "", views: null, forwards: null },
    ...{ edit_date: "2025-01-01T10:00:00+00:00", edit_hide: true, replies: null },
    media: { _: "MessageMediaPhoto", photo: {} },
  },
];
/** Telegram's ids of albums have more digits than a JavaScript number can hold. */
const ALBUM = "13890123456789012345";
const withAlbum = (text: string): string => text.replace('"id":3', `"id":3,"grouped_id":${ALBUM}`);

const PYROGRAM = [
  { _: "Message", id: 1, service: "MessageServiceType.PINNED_MESSAGE", chat: { id: -1001234 } },
  {
    ...{ _: "Message", id: 2, date: "2025-01-01 10:00:00", text: "Текст", views: 100, forwards: 5 },
    chat: {
      ...{ _: "Chat", id: -1001234567890, type: "ChatType.CHANNEL" },
      ...{ title: "Первый", username: "first_channel" },
    },
    reactions: { _: "MessageReactions", reactions: [{ count: 3 }, { count: 4 }] },
    forward_from_chat: { _: "Chat", id: -1002, title: "Второй" },
  },
  {
    ...{ _: "Message", id: 3, date: "2025-01-01 12:00:00", caption: "Подпись" },
    ...{ chat: { id: -1001234567890, title: "Первый", username: "first_channel" } },
    ...{ media: "MessageMediaType.PHOTO", photo: { file_id: "x" }, media_group_id: "77" },
  },
];

describe("posts in another program's file", () => {
  test("are read from Telegram Desktop, and data that it lacks stays unknown", async () => {
    expect(await postsOf("telegram-desktop", DESKTOP)).toEqual([
      {
        ...{ channel_msgr_id: 1234567890, msgr_post_id: 2, published_at: "1735714800" },
        ...{ text: "Смотрите https://example.com!", edited_at: "1735718400" },
        ...{ media: ["photo"], reactions: 7 },
      },
      {
        ...{ channel_msgr_id: 1234567890, msgr_post_id: 3, published_at: "1735722000", text: "" },
        ...{ media: ["voice"], forwarded_from_name: "Второй" },
      },
    ]);
  });

  test("are read from Telethon, in an array or one per line", async () => {
    for (const content of [
      JSON.stringify(TELETHON, null, 2).replace('"id": 3', `"id": 3, "grouped_id": ${ALBUM}`),
      TELETHON.map((message) => withAlbum(JSON.stringify(message))).join("\n"),
    ]) {
      expect(await postsOf("telethon", content)).toEqual([
        {
          ...{ channel_msgr_id: 1234567890, msgr_post_id: 2, text: "Текст", views: 100 },
          ...{ published_at: "2025-01-01T07:00:00+00:00", edited_at: "2025-01-01T08:00:00+00:00" },
          ...{ media: ["video"], forwards: 5, reactions: 7, comments: 7 },
          forwarded_from_name: "Второй",
        },
        {
          ...{ channel_msgr_id: 1234567890, msgr_post_id: 3, text: "" },
          ...{ published_at: "2025-01-01T09:00:00+00:00", media: ["photo"], album: ALBUM },
        },
      ]);
    }
  });

  test("are read from Pyrogram, in an array or one per line", async () => {
    for (const content of [
      JSON.stringify(PYROGRAM, null, 4),
      PYROGRAM.map((message) => JSON.stringify(message)).join("\n"),
    ]) {
      expect(await postsOf("pyrogram", content)).toEqual([
        {
          ...{ channel_msgr_id: -1001234567890, msgr_post_id: 2, text: "Текст", views: 100 },
          ...{ published_at: "2025-01-01 10:00:00", media: [], forwards: 5, reactions: 7 },
          forwarded_from_name: "Второй",
        },
        {
          ...{ channel_msgr_id: -1001234567890, msgr_post_id: 3, text: "Подпись" },
          ...{ published_at: "2025-01-01 12:00:00", media: ["photo"], album: "77" },
        },
      ]);
    }
  });
});

test("data that a message lacks stays unknown, and is not read from words such as null", async () => {
  const place = { id: 2, date: "2025-01-01T07:00:00+00:00" };
  const message = { _: "Message", ...place, peer_id: { channel_id: 1234567890 }, message: "Т" };
  const lines = [message, { ...message, media: null }].map((one) => JSON.stringify(one));
  const media = (await postsOf("telethon", lines.join("\n"))).map((post) => Object(post).media);
  expect(media).toEqual([undefined, []]);
  const text = ["а ", null, { type: "bold" }, { type: "bold", text: "б" }];
  const messages = [{ ...place, type: "message", text }];
  const desktop = JSON.stringify({ type: "public_channel", id: 1, messages });
  expect(await postsOf("telegram-desktop", desktop)).toMatchObject([{ text: "а б" }]);
});

test("messages of people and small groups name no channel, because their ids are not channels'", async () => {
  const message = { id: 2, type: "message", date: "2025-01-01T10:00:00", from_id: "channel55" };
  for (const type of ["personal_chat", "bot_chat", "saved_messages", "private_group"]) {
    const desktop = JSON.stringify({ id: 1234567890, name: "А", type, messages: [message] });
    const [post] = await postsOf("telegram-desktop", desktop);
    expect(post, type).not.toHaveProperty("channel_msgr_id");
  }
  for (const type of ["ChatType.PRIVATE", "ChatType.BOT", "private"]) {
    const chat = { id: 1234567890, type, username: "somebody", first_name: "А" };
    const [post] = await postsOf(
      "pyrogram",
      JSON.stringify({ _: "Message", ...message, type: undefined, chat }),
    );
    expect(post, type).not.toHaveProperty("channel_msgr_id");
    expect(post, type).not.toHaveProperty("channel");
  }
});

describe("an import", () => {
  let appliance: Appliance;
  beforeEach(async () => {
    appliance = await startAppliance();
  });
  afterEach(() => appliance.close());

  test("reads Pyrogram's times in the given time zone", async () => {
    await appliance.importRows("channels", [
      { msgr_id: -1001234567890, handle: "first_channel", title: "A", subscribers: 1 },
    ]);
    const result = await importText(appliance, "posts", JSON.stringify(PYROGRAM), {
      ...{ format: null, from: "pyrogram", timezone: "UTC" },
    });
    expect(result).toMatchObject({ read: 2, inserted: 2, rejected: 0, warnings: [] });
    expect(result.recognized).toMatchObject({ from: "pyrogram", format: "json" });
    const { body } = await appliance.get("/v1/msgr/channels/1/posts/");
    expect(body.results).toMatchObject([
      { text: "Подпись", published_at: "2025-01-01T15:00:00+03:00" },
      { text: "Текст", views: 100, published_at: "2025-01-01T13:00:00+03:00" },
    ]);
  });

  test("imports a file's channel once, however many messages name it", async () => {
    await appliance.importRows("channels", [
      { msgr_id: 1234567890, title: "A", subscribers: 1 },
      { msgr_id: -1001234567890, title: "B", subscribers: 1 },
    ]);
    for (const [from, content, title] of [
      ["telegram-desktop", DESKTOP, "Первый"],
      ["pyrogram", JSON.stringify(PYROGRAM), "Первый"],
    ] as const) {
      const result = await importText(appliance, "channels", content, { format: null, from });
      expect(result.updated).toBe(1);
      const cards = await appliance.get("/v1/msgr/channels/");
      expect(JSON.stringify(cards.body)).toContain(title);
    }
  });

  test("does not import a person or a small group as a channel", async () => {
    const desktop = DESKTOP.replace("public_channel", "personal_chat");
    const pyrogram = JSON.stringify(
      PYROGRAM.map(({ chat, ...of }) => ({ ...of, chat: { ...chat, type: "ChatType.PRIVATE" } })),
    );
    await appliance.importRows("channels", [{ msgr_id: 1234567890, title: "A", subscribers: 1 }]);
    for (const [from, content] of [
      ["telegram-desktop", desktop],
      ["pyrogram", pyrogram],
    ] as const) {
      const options = { format: null, from } as const;
      expect((await importText(appliance, "channels", content, options)).read).toBe(0);
      const { read, rejects } = await importText(appliance, "posts", content, options);
      expect(rejects.map(({ column }) => column)).toEqual(Array(read).fill("channel"));
    }
  });

  test("refuses a file in another format, and a kind that the format has no data for", async () => {
    for (const [kind, from, content, expected] of [
      [
        "posts",
        "telegram-desktop",
        '{"chats": {"list": []}}',
        "The file has no messages in the format of telegram-desktop.",
      ],
      ["posts", "telethon", "[]", "The file has no messages in the format of telethon."],
      ["stats", "telethon", "[]", "Files of telethon contain only posts and channels."],
      ["stats", "pyrogram", "[]", "Files of pyrogram contain only posts and channels."],
      ["posts", "telegram-desktop", "id,text\n", "Line 1: this is not JSON."],
    ] as const) {
      const work = importText(appliance, kind, content, { format: null, from });
      const error = await work.catch((reason) => reason);
      expect(error.detail).toContain(expected);
    }
  });
});

describe("links under words, polls and checklists", () => {
  const HIDDEN = [{ offset: 9, length: 5, target: "https://t.me/partner" }];
  const entity = { offset: 9, length: 5, url: "https://t.me/partner" };
  const FILES: Record<ForeignFormatName, unknown> = {
    "telegram-desktop": {
      ...{ name: "Первый", type: "public_channel", id: 1234567890 },
      messages: [
        {
          ...{ id: 2, type: "message", date_unixtime: "1735714800" },
          text: ["Подробно ", { type: "text_link", text: "здесь", href: "https://t.me/partner" }],
        },
        {
          ...{ id: 3, type: "message", date_unixtime: "1735714801", text: "" },
          poll: { question: "Кто за?", closed: false, total_voters: 0, answers: [] },
        },
        {
          ...{ id: 4, type: "message", date_unixtime: "1735714802", text: "" },
          todo_list: { title: "Дела", answers: [] },
        },
      ],
    },
    telethon: [
      {
        ...{ _: "Message", id: 2, peer_id: { _: "PeerChannel", channel_id: 1234567890 } },
        ...{ date: "2025-01-01T07:00:00+00:00", message: "Подробно здесь" },
        entities: [
          { _: "MessageEntityBold", offset: 0, length: 8 },
          { _: "MessageEntityTextUrl", ...entity },
        ],
      },
      {
        ...{ _: "Message", id: 3, peer_id: { _: "PeerChannel", channel_id: 1234567890 } },
        ...{ date: "2025-01-01T07:00:01+00:00", message: "" },
        media: {
          _: "MessageMediaPoll",
          poll: { _: "Poll", question: { _: "TextWithEntities", text: "Кто за?", entities: [] } },
        },
      },
      {
        ...{ _: "Message", id: 4, peer_id: { _: "PeerChannel", channel_id: 1234567890 } },
        ...{ date: "2025-01-01T07:00:02+00:00", message: "" },
        media: {
          _: "MessageMediaToDo",
          todo: { _: "TodoList", title: { _: "TextWithEntities", text: "Дела", entities: [] } },
        },
      },
    ],
    pyrogram: [
      {
        ...{ _: "Message", id: 2, date: "2025-01-01 10:00:00", text: "Подробно здесь" },
        chat: { _: "Chat", id: -1001234567890, type: "ChatType.CHANNEL" },
        entities: [
          { _: "MessageEntity", type: "MessageEntityType.BOLD", offset: 0, length: 8 },
          { _: "MessageEntity", type: "MessageEntityType.TEXT_LINK", ...entity },
        ],
      },
      {
        ...{ _: "Message", id: 3, date: "2025-01-01 10:00:01", poll: { question: "Кто за?" } },
        chat: { _: "Chat", id: -1001234567890, type: "ChatType.CHANNEL" },
      },
      {
        ...{ _: "Message", id: 4, date: "2025-01-01 10:00:02", checklist: { title: "Дела" } },
        chat: { _: "Chat", id: -1001234567890, type: "ChatType.CHANNEL" },
      },
    ],
  };

  test.each(Object.entries(FILES))(
    "of %s are kept, and the links are mentions",
    async (from, file) => {
      const appliance = await startAppliance();
      try {
        await appliance.importRows("channels", [
          { id: 1, msgr_id: 1234567890, title: "Первый", subscribers: 1 },
          { id: 2, handle: "partner", title: "Партнёр", subscribers: 1 },
        ]);
        const options = { from: from as ForeignFormatName, format: null };
        await importText(appliance, "posts", JSON.stringify(file), options);
        const { body } = await appliance.get("/v1/msgr/channels/1/posts/");
        expect(body.results).toMatchObject([
          { text: "Дела" },
          { text: "Кто за?" },
          { text: "Подробно здесь", links: HIDDEN },
        ]);
        const mentions = (await appliance.get("/v1/msgr/channels/2/mentions/")).body.results;
        expect(mentions).toMatchObject([{ text: "Подробно здесь", kinds: ["link"] }]);
      } finally {
        await appliance.close();
      }
    },
  );
});
