import { afterEach, beforeEach, expect, test } from "bun:test";
import { catchUpPosts, createPostIndexing } from "../../../src/catalog/post-search/catch-up.ts";
import { type Appliance, startAppliance } from "../../support/appliance.ts";
import { channel, imported } from "../../support/expectations.ts";
import { addPerson, signedInVisitor } from "../../support/visitor.ts";

/** The index of post search is built, and removed, in the background. */

let appliance: Appliance;
beforeEach(async () => {
  appliance = await startAppliance();
  await imported(appliance, "channels", [channel(1)]);
  await imported(appliance, "posts", [
    { id: 1, channel: 1, text: "Синица", published_at: "2026-11-19T10:00:00Z" },
  ]);
});
afterEach(() => appliance.close());

const db = () => appliance.app.domains.db;
const logged = () =>
  appliance.ports.log.notices.filter((one) =>
    JSON.stringify(one).includes("the index of post search is complete"),
  );

test("an index that is being built is shown to staff, completed by a turn, and logged once", async () => {
  const { postIndex } = appliance.app;
  expect(postIndex.percent()).toBeNull();
  await addPerson(appliance, { email: "staff@example.com", isStaff: true });
  const staff = await signedInVisitor(appliance, "staff@example.com");
  db().exec("UPDATE post_search_state SET phase = 'clearing'");
  expect(postIndex.percent()).toBe(0);
  expect((await staff.get("/staff/jobs/")).html).toContain(
    "The index of post search is being built: 0% done",
  );
  await postIndex.tick();
  expect(postIndex.percent()).toBeNull();
  expect((await staff.get("/staff/jobs/")).html).not.toContain("% done");
  expect(logged()).toHaveLength(1);
  const { body } = await appliance.get("/v1/msgr/posts/search/?q=синицы");
  expect(body.matches).toBe(1);
  await postIndex.tick();
  expect(logged()).toHaveLength(1);
});

const hasRoom = async () => null;

test("an index being removed after post search was switched off is not shown as being built", async () => {
  const { clock, log } = appliance.ports;
  const off = createPostIndexing(
    db(),
    (isOn) => catchUpPosts(db(), clock, isOn),
    false,
    log,
    hasRoom,
  );
  expect(off.percent()).toBeNull();
  await off.tick();
  expect(db().prepare("SELECT phase FROM post_search_state").all()).toEqual([{ phase: "off" }]);
  expect(db().prepare("SELECT 1 FROM searched_posts").all()).toEqual([]);
  expect(db().prepare("SELECT 1 FROM post_search_parts").all()).toEqual([]);
  expect(logged()).toEqual([]);
});
