import { afterEach, beforeEach, expect, test } from "bun:test";
import { partsOf } from "../../../src/catalog/sources/bots/batch-writer.ts";
import { COMMAND_LINE } from "../../../src/customers/audit/audit-log.ts";
import { type Appliance, startAppliance } from "../../support/appliance.ts";
import {
  createFakeTelegram,
  type FakeTelegram,
  TELEGRAM_TOKEN,
} from "../../support/fake-telegram.ts";

/**
 * The longest posts of bots are written in short transactions, and an interruption between two loses none
 * (sources, section 1).
 */

const LONGEST = 32_768;
const POSTS = 20;
const KIB = 1024;

let appliance: Appliance;
let telegram: FakeTelegram;
let channel: number;
beforeEach(async () => {
  appliance = await startAppliance();
  telegram = createFakeTelegram(appliance.ports.clock.now);
  appliance.ports.network.answerGet = telegram.answerGet;
  const bot = { kind: "telegram", token: TELEGRAM_TOKEN, name: "bot", api: "", schedule: "" };
  await appliance.app.sources.addBot({ ...bot, kind: "telegram" }, COMMAND_LINE);
  channel = telegram.addChannel();
  await look();
});
afterEach(() => appliance.close());

async function look(): Promise<void> {
  appliance.ports.clock.advance(60_000);
  await appliance.app.sources.tick();
  await appliance.app.sources.settled();
}

const text = (at: number) => `${at} ${"ж".repeat(LONGEST)}`.slice(0, LONGEST);
async function stored(): Promise<string[]> {
  const { body } = await appliance.get("/v1/msgr/channels/utro/posts/?page_size=50");
  return body.results.map((post: { text: string }) => post.text).toReversed();
}

/** Interrupts the work once, like a kill, before the first slice at which `isTime`. */
function breakOffOnce(isTime: () => boolean): void {
  const { clock } = appliance.ports;
  const usual = clock.endOfTurn;
  clock.endOfTurn = (begin) => {
    if (!isTime()) return usual(begin);
    clock.endOfTurn = usual;
    throw new Error("killed");
  };
}

const countPosts = (): number =>
  appliance.app.domains.db.prepare("SELECT id FROM posts").all().length;

test.each([1, 7, 19])(
  "after an interruption following part %p, each post is stored exactly once",
  async (parts) => {
    const wanted = Array.from({ length: POSTS }, (_, at) => text(at));
    for (const one of wanted) telegram.post(channel, one);
    const [before] = await appliance.app.sources.list();
    breakOffOnce(() => countPosts() === parts);
    await look();
    const [cut] = await appliance.app.sources.list();
    expect(cut?.position).toEqual(before?.position ?? {});
    expect(await stored()).toEqual(wanted.slice(0, parts));
    await look();
    expect(await stored()).toEqual(wanted);
    const days = await appliance.app.sources.rowsByDay(before?.id ?? 0, 7);
    // The channel's card counts as a row too.
    expect(days.map(({ rows }) => rows)).toEqual([POSTS + 1]);
    expect(telegram.waiting()).toBe(0);
  },
);

test("an album whose writing is interrupted is still one post", async () => {
  const captions = Array.from({ length: 10 }, () => "ж".repeat(9_000));
  telegram.album(channel, captions, "13000000001");
  let parts = 3;
  breakOffOnce(() => parts-- === 0);
  await look();
  await look();
  const [album, ...others] = await stored();
  expect(others).toEqual([]);
  expect(album).toBe(captions.join("\n\n"));
});

test("a part holds at most 20 rows and 32 KiB, or one longer row", () => {
  const rows = (...bytes: number[]) =>
    bytes.map((bytes) => ({ name: "posts" as const, bytes, fieldsOf: () => ({}) }));
  const sizes = (...bytes: number[]) =>
    partsOf(rows(...bytes)).map((part) => part.map((row) => row.bytes / KIB));
  expect(sizes(12 * KIB, 20 * KIB, KIB)).toEqual([[12, 20], [1]]);
  expect(sizes(KIB, 200 * KIB, KIB)).toEqual([[1], [200], [1]]);
  expect(partsOf(rows(...Array<number>(45).fill(1))).map((part) => part.length)).toEqual([
    20, 20, 5,
  ]);
  expect(partsOf([])).toEqual([[]]);
});
