import { expect, test } from "bun:test";
import postsFile from "../../data/sample/posts.ndjson" with { type: "file" };
import { demoPicture, demoWorld } from "../../src/catalog/sample/demo-world.ts";
import { COMMAND_LINE } from "../../src/customers/audit/audit-log.ts";
import { startAppliance } from "../support/appliance.ts";
import { addPerson, signedInVisitor } from "../support/visitor.ts";

/** `kanalog start --demo`: a made-up world, and customers with traffic. */

test("the world is the same each time, and says that it is made up", () => {
  const [one, other] = [demoWorld(postsFile, 20_000), demoWorld(postsFile, 20_000)];
  expect(one.channels).toEqual(other.channels);
  expect(one.days().next()).toEqual(other.days().next());
  expect(one.posts().next()).toEqual(other.posts().next());
  for (const { description } of one.channels) expect(description).toContain("придуман");
  expect(new Set(one.channels.map(({ handle }) => handle)).size).toBe(300);
  expect(demoPicture("https://pictures.invalid/7.png")).toStartWith("<svg");
  expect(demoPicture("https://example.com/7.png")).toBeNull();
});

test("it fills an empty appliance: every page about it answers, and it can be removed again", async () => {
  const appliance = await startAppliance();
  const { domains, services } = appliance.app;
  await domains.sample.loadDemo();
  await domains.keys.createFirst(COMMAND_LINE);
  await domains.loadDemoCustomers();
  const count = (table: string) =>
    domains.db.prepare<{ n: number }>(`SELECT count(*) AS n FROM ${table}`).get()?.n;
  expect([count("channels"), count("posts"), count("organizations")]).toEqual([300, 20_000, 6]);
  expect(count("daily_statistics")).toBeGreaterThan(100_000);
  expect(count("mentions")).toBeGreaterThan(2_000);
  expect(domains.sample.ids()).toHaveLength(300);
  await addPerson(appliance, { email: "olga@example.com", isStaff: true });
  const staff = await signedInVisitor(appliance, "olga@example.com");
  for (const path of [
    "/staff/",
    "/staff/webhooks/",
    "/staff/organizations/2/",
    "/account/channels/17/",
  ]) {
    const { status, html } = await staff.get(path);
    expect({ path, status }).toEqual({ path, status: 200 });
    expect(html).not.toContain("undefined");
  }
  const { html } = await staff.get("/staff/");
  expect(html).toMatch(/<strong>1<\/strong><a href="\/staff\/webhooks\/">Webhooks failing/);
  const { metrics } = services.channels.cardWithMetrics({ kind: "id", id: 17 });
  expect(metrics.reach_30d).toBeGreaterThan(0);
  const picture = await staff.get("/account/channels/17/picture/");
  expect(picture.headers.get("content-type")).toBe("image/png");
  await domains.sample.remove(COMMAND_LINE);
  expect(count("channels")).toBe(0);
  await appliance.close();
}, 240_000);
