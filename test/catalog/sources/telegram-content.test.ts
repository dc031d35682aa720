import { afterEach, beforeEach, expect, test } from "bun:test";
import { COMMAND_LINE } from "../../../src/customers/audit/audit-log.ts";
import { type Appliance, startAppliance } from "../../support/appliance.ts";
import {
  createFakeTelegram,
  type FakeTelegram,
  PHOTO,
  TELEGRAM_TOKEN,
} from "../../support/fake-telegram.ts";

/** What a bot's posts say beyond their text: links under words, polls, checklists, reactions. */

let appliance: Appliance;
let telegram: FakeTelegram;
let chat: number;
beforeEach(async () => {
  appliance = await startAppliance();
  telegram = createFakeTelegram(appliance.ports.clock.now);
  appliance.ports.network.answerGet = telegram.answerGet;
  await appliance.importRows("channels", [
    { id: 50, handle: "partner", title: "Партнёр", subscribers: 1 },
  ]);
  const bot = { kind: "telegram", token: TELEGRAM_TOKEN, name: "", api: "", schedule: "" } as const;
  await appliance.app.sources.addBot(bot, COMMAND_LINE);
  chat = telegram.addChannel();
});
afterEach(() => appliance.close());

async function posts() {
  appliance.ports.clock.advance(60_000);
  await appliance.app.sources.tick();
  await appliance.app.sources.settled();
  return (await appliance.get("/v1/msgr/channels/utro/posts/")).body.results;
}

const link = (offset: number, length: number, url: string) =>
  ({ type: "text_link", offset, length, url }) as const;
const HIDDEN = [
  link(0, 8, "https://t.me/partner"),
  { type: "bold", offset: 9, length: 4 } as const,
];
const KEPT = [{ offset: 0, length: 8, target: "https://t.me/partner" }];

test("links under words are kept and count as mentions, in texts and captions", async () => {
  telegram.say(chat, { text: "Подробно здесь", entities: HIDDEN });
  telegram.say(chat, { ...PHOTO, caption: "Подробно тут", caption_entities: HIDDEN });
  expect(await posts()).toMatchObject([
    { text: "Подробно тут", links: KEPT },
    { text: "Подробно здесь", links: KEPT },
  ]);
  const { body } = await appliance.get("/v1/msgr/channels/50/mentions/");
  expect(body.results.map(({ kinds }: { kinds: string[] }) => kinds)).toEqual([["link"], ["link"]]);
});

test("links of a rich message are kept at their words", async () => {
  const address = "https://t.me/other/1";
  const rich_message = {
    blocks: [
      { type: "heading", size: 1, text: "Новости" },
      {
        type: "paragraph",
        text: [
          "Подробно ",
          { type: "bold", text: { type: "url", url: "https://t.me/partner", text: ["у ", "них"] } },
          { type: "url", url: address, text: ` ${address}` },
          { type: "url", url: address, text: address },
        ],
      },
    ],
  };
  telegram.say(chat, { rich_message } as never);
  const [post] = await posts();
  expect(post.text).toBe(`Новости\nПодробно у них ${address}${address}`);
  expect(post.links).toEqual([
    { offset: 17, length: 5, target: "https://t.me/partner" },
    { offset: 22, length: 21, target: address },
  ]);
  const { body } = await appliance.get("/v1/msgr/channels/50/mentions/");
  expect(body.results).toHaveLength(1);
});

test("an edit that takes a link away takes its mention away", async () => {
  const number = telegram.say(chat, { text: "Подробно здесь", entities: HIDDEN });
  await posts();
  telegram.edit(chat, number, { text: "Подробно здесь", entities: [] });
  expect(await posts()).toMatchObject([{ links: [] }]);
  expect((await appliance.get("/v1/msgr/channels/50/mentions/")).body.results).toEqual([]);
});

test("links of an album's captions keep their words", async () => {
  const album = { ...PHOTO, media_group_id: "77" };
  telegram.say(chat, { ...album, caption: "Первая" });
  telegram.say(chat, { ...album, caption: "Подробно", caption_entities: HIDDEN });
  expect(await posts()).toMatchObject([
    {
      text: "Первая\n\nПодробно",
      links: [{ offset: 8, length: 8, target: "https://t.me/partner" }],
    },
  ]);
});

test("the question of a poll and the title of a checklist are their text", async () => {
  telegram.say(chat, {
    poll: {
      ...{ id: "1", question: "Кто за?", options: [], total_voter_count: 0, is_closed: false },
      ...{ is_anonymous: true, type: "regular", allows_multiple_answers: false },
    },
  } as never);
  telegram.say(chat, { checklist: { title: "Дела", tasks: [{ id: 1, text: "Раз" }] } } as never);
  expect(await posts()).toMatchObject([
    { text: "Дела", media: ["other"] },
    { text: "Кто за?", media: ["poll"] },
  ]);
});

test("reactions follow their total, and those of unknown messages are ignored", async () => {
  const number = telegram.post(chat, "Новость");
  telegram.react(chat, number, { "👍": 3, "🔥": 4 });
  telegram.react(chat, 999, { "👍": 1 });
  expect(await posts()).toMatchObject([{ text: "Новость", reactions: 7 }]);
  telegram.react(chat, number, { "👍": 5, "🔥": 4 });
  expect(await posts()).toMatchObject([{ reactions: 9 }]);
  const [source] = await appliance.app.sources.list();
  expect(source?.summary).toMatchObject({ rejected: 0 });
});

test("a token of a registered advertisement marks advertising, in the text or in a hidden link", async () => {
  telegram.post(chat, "Лучшие окна. Реклама. ООО «Окна», erid: 2SDnjcABCDe");
  telegram.say(chat, {
    text: "Лучшие окна",
    entities: [link(0, 11, "https://okna.example/?utm=1&erid=2VtzqwXYZ12")],
  });
  telegram.post(chat, "Что такое erid и кому он нужен");
  const marks = (await posts()).map(({ is_ad }: { is_ad: boolean }) => is_ad);
  expect(marks).toEqual([false, true, true]);
});
