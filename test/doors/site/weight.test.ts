import { afterAll, beforeAll, expect, test } from "bun:test";
import { imported } from "../../support/expectations.ts";
import { type SiteWorld, startSiteWorld } from "../../support/site-world.ts";
import { type Visitor, visitorOf } from "../../support/visitor.ts";

/** A page with everything it loads, as sent over the wire, without the data of its charts. */
const BYTES_MAX = 100_000;

let world: SiteWorld;
let visitor: Visitor;
beforeAll(async () => {
  world = await startSiteWorld();
  visitor = visitorOf(world.appliance, "ru");
  await visitor.signIn(world.owner);
});
afterAll(() => world.appliance.close());

const sizes = new Map<string, number>();
async function sizeOf(asset: string): Promise<number> {
  const request = new Request(`http://localhost${asset}`, {
    headers: { "accept-encoding": "gzip" },
  });
  const { length } = await (await world.appliance.app.server.handle(request)).bytes();
  sizes.set(asset, length);
  return length;
}

/** Without the tables that charts are drawn from. */
function withoutChartData(html: string): string {
  const tables = [...html.matchAll(/data-chart="([\w-]+)"/g)].map(([, id = ""]) => id);
  return tables.reduce(
    (left, id) => left.replace(new RegExp(`<table id="${id}">.*?</table>`, "s"), ""),
    html,
  );
}

async function weightOf(html: string): Promise<number> {
  let bytes = Buffer.byteLength(withoutChartData(html));
  for (const [, asset = ""] of html.matchAll(/(?:href|src)="(\/account\/assets\/[^"]+)"/g)) {
    bytes += sizes.get(asset) ?? (await sizeOf(asset));
  }
  return bytes;
}

test("no page weighs more than 100 KB, apart from its charts' data", async () => {
  const paths = Object.values(world.pages).flat();
  expect(paths.length).toBeGreaterThan(25);
  for (const path of [...paths, "/"]) {
    const { html, status } = await visitor.get(path);
    if (status === 303) continue;
    expect(await weightOf(html), path).toBeLessThan(BYTES_MAX);
  }
});

test("nor does a channel with the longest posts: each is shown, with the rest of the first ones", async () => {
  const posts = Array.from({ length: 12 }, (_, at) => ({
    ...{ id: 30_001 + at, channel: 150, published_at: "2026-10-02T10:00:00Z" },
    text: `Пост ${at}. ${"Длинное предложение без конца. ".repeat(at < 6 ? 130 : 3_000)}`,
  }));
  await imported(world.appliance, "posts", posts);
  const { html } = await visitor.get("/account/channels/150/");
  expect(await weightOf(html)).toBeLessThan(BYTES_MAX);
  const shown = [...html.matchAll(/<article class="post">.*?<\/article>/gs)].map(([post]) => post);
  expect(shown).toHaveLength(10);
  for (const post of shown)
    expect(post).toMatch(/Пост \d+\. Длинное.*(предложение|конца\.|без) …/s);
  expect(shown.some((post) => post.includes("<details>"))).toBe(true);
});
