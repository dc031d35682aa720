import { afterEach, beforeEach, expect, test } from "bun:test";
import type { BotKind, Source } from "../../../src/catalog/sources/sources.table.ts";
import { COMMAND_LINE } from "../../../src/customers/audit/audit-log.ts";
import { statement } from "../../../src/db/database.ts";
import { type Appliance, startAppliance } from "../../support/appliance.ts";

/** Fake messengers inside the program, read as real ones are (sources, amendments). */

const MINUTE_MS = 60_000;

let appliance: Appliance;
beforeEach(async () => {
  appliance = await startAppliance();
  appliance.ports.network.answerGet = () => {
    throw new Error("a demonstration contacts nobody");
  };
});
afterEach(() => appliance.close());

const add = (kind: BotKind): Promise<Source> =>
  appliance.app.sources.addBot(
    { kind, isDemo: true, token: "", name: "", api: "", schedule: "" },
    COMMAND_LINE,
  );

async function runAfter({ id }: Source, durationMs: number): Promise<void> {
  appliance.ports.clock.advance(durationMs);
  const outcome = await appliance.app.sources.runNow(id);
  expect(outcome).toMatchObject({ failure: null });
  expect(outcome.summary?.rejected ?? 0).toBe(0);
}

interface Stored {
  text: string;
  edited_at: number | null;
  links: string | null;
  reactions: number | null;
  views: number;
}

const posts = () =>
  statement<Stored>(
    appliance.app.domains.db,
    "SELECT text, edited_at, links, reactions, views FROM posts",
  ).all();
const takenDown = () =>
  statement(appliance.app.domains.db, "SELECT 1 FROM post_tombstones").all().length;
const channels = async () => (await appliance.get("/v1/msgr/channels/")).body.results;

test("Telegram's fills an empty catalog within its first minute, and goes on every few seconds", async () => {
  const source = await add("telegram");
  await runAfter(source, 0);
  expect(posts().length).toBeGreaterThan(2);
  await runAfter(source, MINUTE_MS);
  expect((await channels()).map(({ title }: { title: string }) => title.slice(0, 4))).toEqual([
    ...["Демо", "Демо", "Демо"],
  ]);
  const inFirstMinute = posts().length;
  expect(inFirstMinute).toBeGreaterThan(10);
  expect(posts().some(({ edited_at }) => edited_at !== null)).toBe(true);
  expect(posts().some(({ reactions }) => (reactions ?? 0) > 0)).toBe(true);
  const { body } = await appliance.get("/v1/msgr/channels/kanalog_demo_1/mentions/");
  expect(body.results.length).toBeGreaterThan(1);
  await runAfter(source, MINUTE_MS);
  expect(posts().length).toBeGreaterThan(inFirstMinute + 6);
});

test("Telegram's stops after a day, since nothing is deleted there", async () => {
  const source = await add("telegram");
  await runAfter(source, 25 * 60 * MINUTE_MS);
  const { length } = posts();
  await runAfter(source, 60 * MINUTE_MS);
  expect(posts()).toHaveLength(length);
});

test("MAX's has views, edits and deletions, and keeps an hour of posts", async () => {
  const source = await add("max");
  await runAfter(source, 0);
  const first = posts().length;
  expect(first).toBeGreaterThan(100);
  expect(posts().some(({ views }) => views > 0)).toBe(true);
  await runAfter(source, 2 * MINUTE_MS);
  expect(takenDown()).toBeGreaterThan(0);
  expect(posts().some(({ text }) => text.includes("Исправлено"))).toBe(true);
  await runAfter(source, 60 * MINUTE_MS);
  expect(Math.abs(posts().length - first)).toBeLessThan(60);
  expect(await channels()).toHaveLength(3);
});

test("both at once keep their channels apart, and each is there once", async () => {
  const [one, other] = [await add("telegram"), await add("max")];
  await runAfter(one, MINUTE_MS);
  await runAfter(other, MINUTE_MS);
  expect(await channels()).toHaveLength(6);
  await expect(add("max")).rejects.toThrow("already reads this bot");
});

test("a removed one leaves its posts, and can be added again", async () => {
  const source = await add("max");
  await runAfter(source, MINUTE_MS);
  await appliance.app.sources.removeSource(source.id, COMMAND_LINE);
  const again = await add("max");
  await runAfter(again, MINUTE_MS);
  expect(await channels()).toHaveLength(3);
});
