import { afterAll, beforeAll, expect, test } from "bun:test";
import { type SiteWorld, startSiteWorld } from "../../support/site-world.ts";
import { signedInVisitor, type Visitor } from "../../support/visitor.ts";

/** Dates, durations and states are written for people, not for programs. */
let world: SiteWorld;
let reader: Visitor;
beforeAll(async () => {
  world = await startSiteWorld();
  reader = await signedInVisitor(world.appliance, world.owner, "ru");
});
afterAll(() => world.appliance.close());

/** The page's text, without code, payloads and typed values. */
async function textOf(path: string): Promise<string> {
  const { html } = await reader.get(path);
  return (/<main[\s\S]*<\/main>/.exec(html)?.[0] ?? "")
    .replace(/<(code|pre|small|textarea)\b[^>]*>[\s\S]*?<\/\1>/g, " ")
    .replace(/<[^>]*>/g, " ")
    .replaceAll(/\s+/g, " ");
}

test("no page shows an instant in machine format", async () => {
  for (const path of Object.values(world.pages).flat()) {
    expect(await textOf(path), path).not.toMatch(/\d{4}-\d\d-\d\dT\d\d:/);
  }
});

test("the audit log shows a plan's last day, not the instant after it, and groups large numbers", async () => {
  const text = await textOf("/staff/audit/");
  expect(text).toContain("тариф: Рост , последний день: 31 янв. 2027 г.");
  expect(text).toMatch(/запросов в секунду: 1\s000\s000/);
});

test("a source's interval is shown in words", async () => {
  expect(await textOf("/staff/sources/1/")).toMatch(/Как часто раз в 15\sмин/);
  expect(await textOf("/staff/sources/2/")).toMatch(/Как часто раз в 1\sмин/);
});

test("staff see a delivery in the same words as its customer", async () => {
  const { failed } = world.webhooks;
  for (const path of [`/account/webhooks/${failed}/`, `/staff/webhooks/${failed}/`]) {
    const text = await textOf(path);
    expect(text, path).toContain("снято");
    expect(text, path).not.toContain("post.created");
  }
  expect(await textOf(`/staff/webhooks/${failed}/`)).toContain("новые посты");
});

test("no page has a duplicate id, so each label belongs to its own field", async () => {
  for (const path of Object.values(world.pages).flat()) {
    const { html } = await reader.get(path);
    const ids = [...html.matchAll(/<[^>]*\sid="([^"]+)"/g)].map(([, id]) => id);
    expect(ids.length, path).toBe(new Set(ids).size);
  }
});
