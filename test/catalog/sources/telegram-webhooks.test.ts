import { afterEach, beforeEach, expect, test } from "bun:test";
import { COMMAND_LINE } from "../../../src/customers/audit/audit-log.ts";
import type { FakeAnswer } from "../../support/fake-ports.ts";
import {
  createFakeTelegram,
  type FakeTelegram,
  TELEGRAM_TOKEN,
} from "../../support/fake-telegram.ts";
import { type Pushing, SECOND_MS, startPushing } from "../../support/pushing.ts";
import { until } from "../../support/until.ts";

/** A post's way from the messenger to customers, second by second, with the default settings. */

const NO_UPDATES = '{"ok":true,"result":[]}';
const RECEIVER = "https://other.example/hook";

let pushing: Pushing;
let telegram: FakeTelegram;
/** Requests that the messenger holds until an update arrives or their time is over. */
let held: { untilMs: number; answer(): void }[];
beforeEach(async () => {
  pushing = await startPushing();
  const { network } = pushing.appliance.ports;
  telegram = createFakeTelegram(pushing.now);
  held = [];
  network.answerGet = (url) => {
    const answer = telegram.answerGet(url);
    const waitMs = Number(new URL(url).searchParams.get("timeout") ?? 0) * SECOND_MS;
    if (waitMs === 0 || !("body" in answer) || answer.body !== NO_UPDATES) return answer;
    const { promise, resolve } = Promise.withResolvers<FakeAnswer>();
    held.push({ untilMs: pushing.now() + waitMs, answer: () => resolve(telegram.answerGet(url)) });
    return promise;
  };
});
afterEach(async () => {
  const stopped = pushing.appliance.app.sources.stop();
  for (const { answer } of held) answer();
  await stopped;
  await pushing.close();
});

const sources = () => pushing.appliance.app.sources;

/** Advances the clock by a second, and waits until the process has done what is due by then. */
async function second(number: number): Promise<void> {
  await pushing.pass(SECOND_MS);
  const now = pushing.now();
  const over = held.filter(({ untilMs }) => untilMs <= now || telegram.waiting() > 0);
  held = held.filter((one) => !over.includes(one));
  for (const { answer } of over) answer();
  if (number % 5 === 0) await sources().tick();
  await until(async () => held.length > 0 || (await sources().list())[0]?.owner === null);
}

test("a post reaches webhooks within two minutes of its publication", async () => {
  const id = telegram.addChannel();
  const bot = { kind: "telegram", token: TELEGRAM_TOKEN, name: "", api: "", schedule: "" } as const;
  await sources().addBot(bot, COMMAND_LINE);
  for (let number = 0; number < 5; number++) await second(number);
  const { body } = await pushing.appliance.get("/v1/msgr/channels/utro/");
  await pushing.add([body.id], RECEIVER);
  const published = new Map<string, number>();
  const arrivedAfter = new Map<string, number>();
  for (let number = 0; number < 900; number++) {
    if (number % 37 === 0 && number < 740) {
      const text = `post ${number}`;
      published.set(text, pushing.now());
      telegram.post(id, text);
    }
    await second(number);
    for (const { authority, body } of pushing.attempts()) {
      if (authority !== "other.example") continue;
      for (const { text } of JSON.parse(body).posts as { text: string }[]) {
        const at = published.get(text) ?? 0;
        if (!arrivedAfter.has(text)) arrivedAfter.set(text, pushing.now() - at);
      }
    }
  }
  expect([...arrivedAfter.keys()].toSorted()).toEqual([...published.keys()].toSorted());
  expect(Math.max(...arrivedAfter.values())).toBeLessThanOrEqual(120 * SECOND_MS);
});
