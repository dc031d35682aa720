import { afterEach, beforeEach, expect, test } from "bun:test";
import { type Appliance, startAppliance } from "../../support/appliance.ts";

let appliance: Appliance;
beforeEach(async () => {
  appliance = await startAppliance();
  await appliance.importRows("channels", [
    { id: 1, msgr_id: 101, handle: "first", title: "First", subscribers: 100, quality: 7 },
    { id: 2, msgr_id: 102, handle: "second", title: "Second", subscribers: 200 },
    { id: 3, msgr_id: 103, handle: "third", title: "Third", subscribers: 300 },
  ]);
});
afterEach(() => appliance.close());

const cards = async () =>
  (await appliance.get("/v1/msgr/channels/?ordering=-subscribers")).body.results;
const subscribersById = async () =>
  Object.fromEntries(
    (await cards()).map((card: Record<string, unknown>) => [card["id"], card["subscribers"]]),
  );

test("refreshed numbers are shown and used for ordering, and the rest of the cards stays", async () => {
  const before = await cards();
  const summary = await appliance.importRows("channels", [
    { id: 1, subscribers: 250, last_post_at: "2026-11-19T10:00:00+03:00" },
    { id: 2, subscribers: 200 },
    { id: 3, last_post_at: "2026-11-18T10:00:00+03:00" },
  ]);
  expect(summary).toMatchObject({ inserted: 0, updated: 2, unchanged: 1, rejected: 0 });
  const [third, second, first] = before;
  expect(await cards()).toEqual([
    { ...third, last_post_at: "2026-11-18T10:00:00+03:00" },
    { ...first, subscribers: 250, last_post_at: "2026-11-19T10:00:00+03:00" },
    second,
  ]);
});

test("a channel that a file refreshes twice has the last row's numbers", async () => {
  await appliance.importRows("channels", [
    { id: 1, subscribers: 900 },
    { id: 2, subscribers: 800 },
    { id: 1, subscribers: 5 },
  ]);
  expect(await subscribersById()).toEqual({ 1: 5, 2: 800, 3: 300 });
});

test("a channel that a file names in two ways has the last row's numbers", async () => {
  await appliance.importRows("channels", [
    { id: 1, subscribers: 900 },
    { handle: "FIRST", subscribers: 40 },
    { msgr_id: 101, subscribers: 5 },
    { handle: "second", subscribers: 6 },
    { handle: "Second", subscribers: 7 },
  ]);
  expect(await subscribersById()).toEqual({ 1: 5, 2: 7, 3: 300 });
});

test("a row that gives a number and clears the handle does both", async () => {
  await appliance.importRows("channels", [{ id: 1, handle: null, subscribers: 5 }]);
  expect((await appliance.get("/v1/msgr/channels/1/")).body).toMatchObject({
    handle: null,
    subscribers: 5,
  });
});

test("rejected rows are reported in the order of the file's lines", async () => {
  const { rejects } = await appliance.importRows("channels", [
    { id: 9, subscribers: 900 },
    { id: 1, subscribers: 800 },
    { id: 8, subscribers: 700 },
    { id: 7, subscribers: 1_000 },
  ]);
  expect(rejects.map(({ fields }) => fields?.["id"])).toEqual([9, 8, 7]);
});

test("a refresh does not set the time of the last post before the newest post", async () => {
  const published_at = "2026-11-19T12:00:00+03:00";
  await appliance.importRows("posts", [
    { channel: 1, msgr_post_id: 1, text: "Text", published_at },
  ]);
  for (const last_post_at of ["2026-11-01T12:00:00+03:00", null]) {
    const summary = await appliance.importRows("channels", [{ id: 1, last_post_at }]);
    expect(summary).toMatchObject({ unchanged: 1 });
  }
  expect((await appliance.get("/v1/msgr/channels/1/")).body.last_post_at).toBe(published_at);
});
