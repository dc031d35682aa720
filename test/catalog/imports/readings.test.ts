import { afterEach, beforeEach, expect, test } from "bun:test";
import { type Appliance, startAppliance } from "../../support/appliance.ts";
import { channel, imported } from "../../support/expectations.ts";
import { exported } from "../../support/exporting.ts";
import { importText } from "../../support/import-text.ts";

/** Readings of a post's numbers, which may arrive late and in any order. */

let appliance: Appliance;
beforeEach(async () => {
  appliance = await startAppliance();
  await imported(appliance, "channels", [channel(1)]);
});
afterEach(() => appliance.close());

const PUBLISHED = "2026-11-17T10:00:00+03:00";
const at = (day: number, time: string) => `2026-11-${day}T${time}:00+03:00`;
const reading = (views: number, views_at: string, more: object = {}) =>
  imported(appliance, "posts", [
    { channel: 1, msgr_post_id: 7, published_at: PUBLISHED, views, views_at, ...more },
  ]);
const post = async () => (await appliance.get("/v1/msgr/channels/1/posts/")).body.results[0];

test("an older reading that comes later changes none of the numbers", async () => {
  await reading(900, at(18, "12:00"), { forwards: 9, reactions: 90, comments: 3 });
  await reading(100, at(17, "12:00"), { forwards: 1, reactions: 10, comments: 0 });
  const newest = { views: 900, views_at: at(18, "12:00"), forwards: 9, reactions: 90, comments: 3 };
  expect(await post()).toMatchObject(newest);
  await reading(901, at(18, "12:01"));
  expect(await post()).toMatchObject({ views: 901, forwards: 9 });
});

test("an older edit that comes later does not bring its text back", async () => {
  await reading(1, at(18, "12:00"), { text: "Новый", edited_at: at(18, "11:00") });
  await reading(2, at(18, "13:00"), { text: "Прежний", edited_at: at(17, "11:00") });
  expect(await post()).toMatchObject({ text: "Новый", views: 2, edited_at: at(18, "11:00") });
});

test("a reading from before the stored edit brings no text back, one from after it does", async () => {
  await reading(1, at(18, "12:00"), { text: "Новый", edited_at: at(18, "11:00") });
  await reading(2, at(18, "10:00"), { text: "Прежний" });
  expect(await post()).toMatchObject({ text: "Новый", views: 1, edited_at: at(18, "11:00") });
  await reading(3, at(18, "13:00"), { text: "Новейший" });
  expect(await post()).toMatchObject({ text: "Новейший", views: 3, edited_at: at(18, "11:00") });
});

test("the first reading at or after an age and within a quarter of it is kept, whatever comes later", async () => {
  const none = { views_1h: null, views_12h: null, views_24h: null, views_48h: null };
  await reading(10, at(17, "10:59"));
  expect(await post()).toMatchObject(none);
  await reading(11, at(17, "11:00"));
  await reading(12, at(17, "11:10"));
  // 12 hours and a quarter of them have passed.
  await reading(50, at(18, "01:00"));
  expect(await post()).toMatchObject({ ...none, views_1h: 11 });
  await reading(300, at(19, "10:30"));
  // A day's reading that arrives after that of two days.
  await reading(200, at(18, "15:59"));
  const kept = { views_1h: 11, views_12h: null, views_24h: 200, views_48h: 300 };
  expect(await post()).toMatchObject({ ...kept, views: 300 });
  const file = await exported(appliance, { kind: "posts" });
  const copy = await startAppliance();
  try {
    await imported(copy, "channels", [channel(1)]);
    expect((await importText(copy, "posts", file)).rejects).toEqual([]);
    expect(await exported(copy, { kind: "posts" })).toBe(file);
  } finally {
    await copy.close();
  }
});

test("views without a time of reading were read when they were imported", async () => {
  appliance.ports.clock.set(at(18, "10:05"));
  const row = { channel: 1, msgr_post_id: 7, published_at: PUBLISHED, views: 5 };
  await imported(appliance, "posts", [row]);
  const views_at = "2026-11-18T10:05:00+03:00";
  expect(await post()).toMatchObject({ views: 5, views_at, views_24h: 5, views_48h: null });
});
