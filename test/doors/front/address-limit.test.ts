import { afterEach, beforeEach, expect, test } from "bun:test";
import { type Appliance, startAppliance } from "../../support/appliance.ts";

/** What is answered without a key is limited by address, so that nobody's downloads delay callers. */

const LARGE = "/docs/swagger-ui-bundle.js";
const MINUTE_MS = 60_000;

let appliance: Appliance;
beforeEach(async () => {
  appliance = await startAppliance({ KANALOG_TRUST_PROXY: "true" });
});
afterEach(() => appliance.close());

const get = (path: string, from: string, key: string | null = null) =>
  appliance.request(path, { key, headers: { "x-forwarded-for": from } });

/** Downloads a large file until it is refused. @returns how often it was answered, and the refusal */
async function exhaust(from: string) {
  for (let answered = 0; ; answered++) {
    const answer = await get(LARGE, from);
    if (answer.status !== 200) return { answered, refusal: answer };
  }
}

test("an address that downloads without end is refused until it waits; nobody else is", async () => {
  const { answered, refusal } = await exhaust("198.51.100.1");
  expect(answered).toBeWithin(3, 20);
  expect(refusal.status).toBe(429);
  expect(refusal.body.code).toBe("throttled");
  expect(Number(refusal.headers.get("retry-after"))).toBeWithin(1, 10);
  for (const path of [LARGE, "/", "/docs/", "/account/sign-in/", "/account/assets/site.css"]) {
    expect((await get(path, "198.51.100.1")).status, path).toBe(429);
    expect((await get(path, "198.51.100.2")).status, path).toBe(200);
  }
  appliance.ports.clock.advance(MINUTE_MS);
  expect((await get(LARGE, "198.51.100.1")).status).toBe(200);
});

test("an address that has used up its limit makes up for its last answer first", async () => {
  await exhaust("198.51.100.1");
  appliance.ports.clock.advance(100);
  expect((await get("/docs/", "198.51.100.1")).status).toBe(429);
});

test("the addresses of one IPv6 site share a limit", async () => {
  for (let at = 0; at < 12; at++) await exhaust(`2001:db8:1:${at}::1`);
  expect((await get("/docs/", "2001:db8:1:99::1")).status).toBe(429);
  expect((await get("/docs/", "2001:db8:2:99::1")).status).toBe(200);
});

test("a key and checks are not limited by the address they come from", async () => {
  const { key } = await appliance.customer();
  await exhaust("198.51.100.1");
  expect((await get("/v1/me/", "198.51.100.1", key)).status).toBe(200);
  expect((await get("/healthz", "198.51.100.1")).status).toBe(200);
  expect((await get("/readyz", "198.51.100.1")).status).toBe(200);
});
