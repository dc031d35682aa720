import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { type Appliance, startAppliance } from "../../support/appliance.ts";
import { addPerson, PASSWORD, visitorOf } from "../../support/visitor.ts";

/** Somebody who signed in from a network before gets in from there while others guess the password. */

const ADA = "ada@example.com";
const HOME = "203.0.113.7";

let appliance: Appliance;
beforeEach(async () => {
  appliance = await startAppliance({ KANALOG_TRUST_PROXY: "true" });
  await addPerson(appliance);
});
afterEach(() => appliance.close());

async function attempt(from: string, password = PASSWORD, email = ADA): Promise<number> {
  const sent = { action: "sign-in", email, password };
  const { status } = await visitorOf(appliance).post("/account/sign-in/", sent, {
    "x-forwarded-for": from,
  });
  return status;
}

/** Wrong passwords, each from a different network, until the account is throttled. */
async function guess(email = ADA): Promise<void> {
  const statuses: number[] = [];
  for (let at = 0; at < 11; at += 1) {
    statuses.push(await attempt(`192.0.2.${at}`, "wrong wrong wrong", email));
  }
  expect(statuses.slice(0, 9)).toEqual(statuses.slice(0, 9).map(() => 400));
  expect(statuses.at(-1)).toBe(429);
}

describe("a network that somebody has signed in from", () => {
  test("is not refused because of others' guesses, but any other network is", async () => {
    expect(await attempt(HOME)).toBe(303);
    await guess();
    expect(await attempt("198.51.100.1")).toBe(429);
    expect(await attempt(HOME)).toBe(303);
    expect(await attempt(HOME, "wrong wrong wrong")).toBe(400);
    expect(await attempt(HOME)).toBe(303);
  });

  test("is throttled by its own guesses like any other", async () => {
    expect(await attempt(HOME)).toBe(303);
    for (let at = 0; at < 10; at += 1) expect(await attempt(HOME, "wrong wrong")).toBe(400);
    expect(await attempt(HOME)).toBe(429);
  });

  test("is known for that person only; IPv6 by its /64", async () => {
    await addPerson(appliance, { email: "bob@example.com" });
    expect(await attempt("2001:db8:1:1::5")).toBe(303);
    await guess();
    await guess("bob@example.com");
    expect(await attempt("2001:db8:1:1::9")).toBe(303);
    expect(await attempt("2001:db8:1:2::5")).toBe(429);
    expect(await attempt("2001:db8:1:1::5", PASSWORD, "bob@example.com")).toBe(429);
  });

  test("is not learned from a wrong password", async () => {
    expect(await attempt(HOME, "wrong wrong wrong")).toBe(400);
    await guess();
    expect(await attempt(HOME)).toBe(429);
  });
});

test("guesses get the same answer whether or not the address exists", async () => {
  expect(await attempt(HOME)).toBe(303);
  await guess();
  await guess("nobody@example.com");
  for (const email of [ADA, "nobody@example.com"]) {
    expect(await attempt("198.51.100.1", "wrong wrong wrong", email)).toBe(429);
    expect(await attempt("198.51.100.2", PASSWORD, email)).toBe(429);
  }
});
