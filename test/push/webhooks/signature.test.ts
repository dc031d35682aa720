import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { createHmac } from "node:crypto";
import Stripe from "stripe";
import type { FakePost } from "../../support/fake-ports.ts";
import {
  HOUR_MS,
  MINUTE_MS,
  numbers,
  type Pushing,
  SECOND_MS,
  startFailing,
  startPushing,
} from "../../support/pushing.ts";

const TEXTS = [
  "Привет, мир: ёжик",
  "🙂👩‍👩‍👧‍👦🇷🇺",
  "line\u2028separator\u2029s",
  '"quotes", \\back\\, </script>, a tab\t and \u0001',
];

/** Tolerance of the receiver's clock (specification, section 6). */
const TOLERANCE_S = 300;

let pushing: Pushing;
beforeEach(async () => {
  pushing = await startPushing();
});
afterEach(() => pushing.close());

const { webhooks } = new Stripe("sk_test_x");

function signatureOf({ headers }: FakePost): string {
  return headers["x-service-signature"] ?? "";
}

/** Whether an independent verifier accepts the delivery at this time. */
async function verifies(post: FakePost, secret: string, nowMs = pushing.now()): Promise<boolean> {
  const verified = webhooks.constructEventAsync(
    post.body,
    signatureOf(post),
    secret,
    TOLERANCE_S,
    undefined,
    nowMs,
  );
  return verified.then(
    () => true,
    () => false,
  );
}

async function lastSent(id: number): Promise<FakePost> {
  await pushing.send([id], { text: TEXTS[0] });
  return pushing.attempts().at(-1) as FakePost;
}

async function rotate(body?: object): Promise<string> {
  const path = `/v1/msgr/webhooks/${pushing.id}/rotate-secret/`;
  const answer = await pushing.call("POST", path, body);
  expect(answer.status).toBe(200);
  return answer.body.secret;
}

describe("a delivery", () => {
  for (const text of TEXTS) {
    test(`with ${JSON.stringify(text)} is accepted by Stripe's verifier`, async () => {
      await pushing.send([1], { text });
      const [attempt] = pushing.attempts() as [FakePost];
      expect(JSON.parse(attempt.body).posts[0].text).toBe(text);
      expect(await verifies(attempt, pushing.secret)).toBe(true);
      expect(await verifies({ ...attempt, body: `${attempt.body} ` }, pushing.secret)).toBe(false);
      expect(await verifies(attempt, `${pushing.secret}x`)).toBe(false);
    });
  }

  test("of a hundred posts, each of its retries, and a ping are accepted by Stripe's verifier", async () => {
    const failedAt = await startFailing(pushing, numbers(1, 100));
    await pushing.passUntil(failedAt + 23 * HOUR_MS);
    await pushing.call("POST", `/v1/msgr/webhooks/${pushing.id}/test/`);
    expect(pushing.attempts()).toHaveLength(9);
    for (const attempt of pushing.attempts()) {
      const t = Number(signatureOf(attempt).slice(2, 12));
      expect(await verifies(attempt, pushing.secret, t * 1000)).toBe(true);
    }
  });

  test("is signed with the whole text of the secret, including whsec_", async () => {
    expect(pushing.secret).toMatch(/^whsec_[A-Za-z0-9_-]{43}$/);
    const attempt = await lastSent(1);
    const t = Math.floor(pushing.now() / 1000);
    const signed = (key: string) =>
      createHmac("sha256", key).update(`${t}.${attempt.body}`, "utf8").digest("hex");
    expect(signatureOf(attempt)).toBe(`t=${t},v1=${signed(pushing.secret)}`);
  });

  test("is signed with the second of the attempt, whatever its milliseconds", async () => {
    pushing.appliance.ports.clock.advance(999);
    await pushing.read([1]);
    await pushing.pass(MINUTE_MS);
    expect(signatureOf(pushing.attempts()[0] as FakePost)).toStartWith(
      `t=${Math.floor(pushing.now() / 1000)},`,
    );
  });

  const openssl = Bun.which("openssl");
  if (openssl === null) console.warn("skipped: the check by openssl dgst, which is not installed");
  test.skipIf(openssl === null)("has the signature that openssl dgst computes", async () => {
    await pushing.send([1], { text: TEXTS.join("\n") });
    const [attempt] = pushing.attempts() as [FakePost];
    const [, t, v1] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(signatureOf(attempt)) ?? [];
    const command = ["openssl", "dgst", "-sha256", "-hmac", pushing.secret, "-r"];
    const child = Bun.spawn(command, {
      stdin: new Blob([`${t}.${attempt.body}`]),
      stdout: "pipe",
      stderr: "ignore",
    });
    expect((await child.stdout.text()).split(" ")[0]).toBe(v1 as string);
  });
});

describe("a rotation", () => {
  test("without an overlap leaves only the new secret, and one v1", async () => {
    const secret = await rotate();
    const attempt = await lastSent(1);
    expect(signatureOf(attempt)).toMatch(/^t=\d+,v1=[0-9a-f]{64}$/);
    expect(await verifies(attempt, secret)).toBe(true);
    expect(await verifies(attempt, pushing.secret)).toBe(false);
  });

  test("with an overlap lets both secrets verify until it ends, the previous one first, then only the new one", async () => {
    const rotatedAt = pushing.now();
    const secret = await rotate({ overlap_hours: 2 });
    const during = await lastSent(1);
    expect(signatureOf(during)).toMatch(/^t=\d+,v1=[0-9a-f]{64},v1=[0-9a-f]{64}$/);
    const [, t, former] = /^t=(\d+),v1=([0-9a-f]+),/.exec(signatureOf(during)) ?? [];
    expect(former).toBe(
      createHmac("sha256", pushing.secret).update(`${t}.${during.body}`).digest("hex"),
    );
    expect(await verifies(during, secret)).toBe(true);
    expect(await verifies(during, pushing.secret)).toBe(true);

    await pushing.passUntil(rotatedAt + 2 * HOUR_MS - MINUTE_MS);
    const last = await lastSent(2);
    // The batch is due exactly when the overlap ends.
    expect(pushing.now()).toBe(rotatedAt + 2 * HOUR_MS);
    expect(await verifies(last, secret)).toBe(true);
    expect(await verifies(last, pushing.secret)).toBe(false);
    expect(signatureOf(last)).toMatch(/^t=\d+,v1=[0-9a-f]{64}$/);
  });

  test("with an overlap lets both secrets verify a second before its end", async () => {
    const batchedAt = pushing.now();
    pushing.appliance.ports.clock.advance(SECOND_MS);
    const secret = await rotate({ overlap_hours: 1 });
    await pushing.passUntil(batchedAt + MINUTE_MS);
    await pushing.passUntil(batchedAt + HOUR_MS - MINUTE_MS);
    const last = await lastSent(1);
    expect(pushing.now()).toBe(batchedAt + HOUR_MS);
    expect(await verifies(last, secret)).toBe(true);
    expect(await verifies(last, pushing.secret)).toBe(true);
  });

  test("without an overlap ends the overlap of the one before", async () => {
    const second = await rotate({ overlap_hours: 72 });
    const third = await rotate();
    const attempt = await lastSent(1);
    expect(await verifies(attempt, third)).toBe(true);
    expect(await verifies(attempt, second)).toBe(false);
    expect(await verifies(attempt, pushing.secret)).toBe(false);
  });

  test("with an overlap applies to queued retries and pings too", async () => {
    const failedAt = await startFailing(pushing);
    const secret = await rotate({ overlap_hours: 1 });
    await pushing.passUntil(failedAt + MINUTE_MS);
    await pushing.call("POST", `/v1/msgr/webhooks/${pushing.id}/test/`);
    for (const attempt of pushing.attempts().slice(1)) {
      expect(await verifies(attempt, secret)).toBe(true);
      expect(await verifies(attempt, pushing.secret)).toBe(true);
    }
    expect(pushing.attempts()).toHaveLength(3);
  });
});
