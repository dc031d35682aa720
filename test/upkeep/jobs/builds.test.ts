import { afterEach, beforeEach, expect, test } from "bun:test";
import { buildSome, createBuilds } from "../../../src/upkeep/jobs/builds.ts";
import { type Appliance, startAppliance } from "../../support/appliance.ts";
import { channel, imported } from "../../support/expectations.ts";

/** Background builds share one turn, one list for staff, and one log message each. */

let appliance: Appliance;
beforeEach(async () => {
  appliance = await startAppliance();
  await imported(appliance, "channels", [channel(1)]);
  await imported(appliance, "posts", [
    { id: 1, channel: 1, text: "Синица у @target", published_at: "2026-11-19T10:00:00Z" },
  ]);
});
afterEach(() => appliance.close());

const db = () => appliance.app.domains.db;
const logged = () =>
  appliance.ports.log.notices.filter((one) =>
    JSON.stringify(one).includes("a background build finished"),
  );

test("a turn continues all unfinished builds, and logs each that is done", async () => {
  const { builds } = appliance.app;
  expect(builds.list()).toEqual([]);
  db().exec(`DELETE FROM mentions;
    INSERT INTO background_builds VALUES ('mentions', 0, 2);
    UPDATE post_search_state SET phase = 'clearing'`);
  expect(builds.list()).toEqual([
    { name: "mentions", percent: 0 },
    { name: "post_search", percent: 0 },
  ]);
  await builds.tick();
  expect(builds.list()).toEqual([]);
  expect(logged()).toHaveLength(2);
  expect(db().prepare("SELECT target FROM mentions").all()).toEqual([{ target: "target" }]);
  const { body } = await appliance.get("/v1/msgr/posts/search/?q=синицы");
  expect(body.matches).toBe(1);
  await builds.tick();
  expect(logged()).toHaveLength(2);
});

test("an index being removed after post search was switched off is not listed as unfinished", async () => {
  const { clock, log } = appliance.ports;
  const settings = { messengerHosts: [], postSearch: false };
  const off = createBuilds(db(), (given) => buildSome(db(), clock, given), settings, log);
  expect(off.list()).toEqual([]);
  await off.tick();
  expect(db().prepare("SELECT phase FROM post_search_state").all()).toEqual([{ phase: "off" }]);
  expect(db().prepare("SELECT 1 FROM searched_posts").all()).toEqual([]);
  expect(logged()).toEqual([]);
});
