import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type App, createApp } from "../../../src/app/app.ts";
import { releaseClaims } from "../../../src/push/webhooks/delivery/claim-due.ts";
import { type FakePorts, type FakePost, fakePortsOfNow } from "../../support/fake-ports.ts";
import {
  holdAnswers,
  numbers,
  type Pushing,
  postsOf,
  startPushing,
} from "../../support/pushing.ts";

/**
 * Two serving processes on one file, each with a network of its own. The threads that work on a file use
 * the system's clock, so time is real here, and a test lets time pass by moving it in the file.
 */
let folder: string;
let first: Pushing;
let firstPorts: FakePorts;
let second: App;
let secondPorts: FakePorts;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "kanalog-test-"));
  firstPorts = fakePortsOfNow();
  secondPorts = fakePortsOfNow();
  first = await startPushing(
    { KANALOG_DB: join(folder, "kanalog.db"), KANALOG_SECRET: "a".repeat(32) },
    firstPorts,
  );
  second = await createApp(first.appliance.config, secondPorts);
});
afterAll(async () => {
  await second.close();
  await first.close();
  rmSync(folder, { recursive: true, force: true });
});
/** Each test has a webhook of its own, and no posts; the two processes and their threads go on. */
beforeEach(async () => {
  for (const table of ["webhooks", "posts", "mails"]) db().exec(`DELETE FROM ${table}`);
  for (const { network, mail } of [firstPorts, secondPorts]) {
    network.answer = () => ({ status: 204 });
    network.posts.length = 0;
    mail.sent.length = 0;
  }
  Object.assign(first, await first.add([1, 2]));
  await first.runDue();
});

const db = () => {
  const client = first.appliance.app.domains.db;
  // Waits for the lock, because other connections write too.
  client.pragma("busy_timeout = 5000");
  return client;
};

/** Moves the last batch and the claims into the past. */
function letPass(seconds: number): void {
  const by = seconds * 1000;
  db().prepare("UPDATE webhook_look SET batched_at = batched_at - ?").run(by);
  db()
    .prepare("UPDATE webhook_deliveries SET claimed_until = claimed_until - ? WHERE claim NOTNULL")
    .run(by);
}

/** Has posts read, and makes a batch due. */
async function readDue(ids: number[]): Promise<void> {
  await first.read(ids);
  letPass(61);
}

function sentBy({ network }: FakePorts): FakePost[] {
  return network.posts;
}

const deliveriesOf = (posts: FakePost[]) =>
  posts.map(({ headers }) => headers["x-service-delivery"]);

test("every post is put into one event, and every delivery attempted, by only one of them", async () => {
  for (let count = 0; count < 4; count++) await first.add([1]);
  await readDue(numbers(1, 1000));
  for (let round = 0; round < 3; round++) {
    await Promise.all([first.runDue(), second.push.runDue()]);
  }
  const sent = [...sentBy(firstPorts), ...sentBy(secondPorts)];
  expect(sent).toHaveLength(50);
  expect(new Set(deliveriesOf(sent)).size).toBe(50);
  expect(sent.flatMap(postsOf)).toHaveLength(5000);
  const log = await first.deliveries();
  expect(log.every(({ state, attempts }) => state === "delivered" && attempts.length === 1)).toBe(
    true,
  );
});

test("every match of an alert is sent by only one of them, also if the other created the alert", async () => {
  const alert = { name: "A", q: "post", webhook: first.id };
  for (let count = 0; count < 3; count++) {
    expect((await first.call("POST", "/v1/msgr/alerts/", alert)).status).toBe(201);
  }
  await readDue(numbers(1, 300));
  for (let round = 0; round < 3; round++) {
    await Promise.all([first.runDue(), second.push.runDue()]);
  }
  const more = await first.call("POST", "/v1/msgr/alerts/", alert);
  await readDue([301]);
  // The other process has loaded the alerts before this one was created.
  await second.push.runDue();
  await first.runDue();
  const matched = [...sentBy(firstPorts), ...sentBy(secondPorts)]
    .filter(({ headers }) => headers["x-service-event"] === "post.matched")
    .flatMap((sent) => postsOf(sent).map((id) => `${JSON.parse(sent.body).alert.id} ${id}`));
  expect(new Set(matched).size).toBe(3 * 301 + 1);
  expect(matched).toHaveLength(3 * 301 + 1);
  expect(matched).toContain(`${more.body.id} 301`);
});

test("an attempt that one has in progress is not made by the other", async () => {
  const { called, answer } = holdAnswers(firstPorts.network);
  await readDue([1]);
  const done = first.runDue();
  await called;
  // Longer than an attempt may take.
  letPass(11);
  await second.push.runDue();
  expect(sentBy(secondPorts)).toEqual([]);
  answer({ status: 204 });
  await done;
  await second.push.runDue();
  expect(sentBy(secondPorts)).toEqual([]);
  expect((await first.deliveries())[0]).toMatchObject({ state: "delivered" });
});

test("both together have at most four attempts of a webhook in progress", async () => {
  const { called, answer } = holdAnswers(firstPorts.network);
  await readDue(numbers(1, 1_000));
  const done = first.runDue();
  await called;
  await second.push.runDue();
  expect(sentBy(firstPorts)).toHaveLength(4);
  expect(sentBy(secondPorts)).toEqual([]);
  answer({ status: 204 });
  await done;
  expect(new Set(deliveriesOf(sentBy(firstPorts))).size).toBe(10);
});

test("a claim that the other has taken over is not ended when it is given back", async () => {
  const claims = () =>
    db().prepare<{ id: number; claim: string }>("SELECT id, claim FROM webhook_deliveries").all();
  const late = holdAnswers(firstPorts.network);
  await readDue([1]);
  const done = first.runDue();
  await late.called;
  const former = claims();
  letPass(60);
  const other = holdAnswers(secondPorts.network);
  const doneByOther = second.push.runDue();
  await other.called;
  const current = claims();
  expect(current).not.toEqual(former);
  await releaseClaims(db(), firstPorts.clock, former);
  expect(claims()).toEqual(current);
  for (const { answer } of [late, other]) answer({ status: 204 });
  await Promise.all([done, doneByOther]);
});

/** The first process gets no answer from its receiver, and the second one delivers. */
async function takeOver(): Promise<{ answerLate(): Promise<void> }> {
  const { called, answer } = holdAnswers(firstPorts.network);
  await readDue([1]);
  const done = first.runDue();
  await called;
  letPass(60);
  await second.push.runDue();
  return {
    async answerLate() {
      answer({ status: 500 });
      await done;
    },
  };
}

test("an attempt that a crashed one had in progress is made by the other under the same number, and its late answer changes neither delivery nor webhook", async () => {
  const { answerLate } = await takeOver();
  expect(deliveriesOf(sentBy(secondPorts))).toEqual(deliveriesOf(sentBy(firstPorts)));
  expect(sentBy(secondPorts).map(({ body }) => body)).toEqual(
    sentBy(firstPorts).map(({ body }) => body),
  );
  expect((await first.deliveries())[0]).toMatchObject({ state: "delivered" });
  const before = await first.view();
  await answerLate();
  expect((await first.deliveries())[0]).toMatchObject({
    state: "delivered",
    next_attempt_at: null,
  });
  expect(await first.view()).toEqual(before);
  const { failing } = db()
    .prepare("SELECT failing_since AS failing FROM webhooks WHERE id = ?")
    .get(first.id) as { failing: number | null };
  expect(failing).toBeNull();
  letPass(60);
  await Promise.all([first.runDue(), second.push.runDue()]);
  expect([...sentBy(firstPorts), ...sentBy(secondPorts)]).toHaveLength(2);
});

test("a late answer does not end the claim of the one that holds it now", async () => {
  const held = holdAnswers(firstPorts.network);
  await readDue([1]);
  const firstDone = first.runDue();
  await held.called;
  letPass(60);
  const taken = holdAnswers(secondPorts.network);
  const secondDone = second.push.runDue();
  await taken.called;
  const before = (await first.deliveries())[0];
  held.answer({ status: 500 });
  await firstDone;
  const after = (await first.deliveries())[0];
  expect(after?.next_attempt_at).toBe(before?.next_attempt_at as string);
  const path = `/v1/msgr/webhooks/${first.id}/deliveries/${after?.delivery}/resend/`;
  expect((await first.call("POST", path)).status).toBe(409);
  taken.answer({ status: 204 });
  await secondDone;
  expect((await first.deliveries())[0]).toMatchObject({ state: "delivered" });
});

test("together they send one mail about a disabled webhook", async () => {
  firstPorts.network.answer = () => ({ status: 500 });
  secondPorts.network.answer = () => ({ status: 500 });
  await readDue([1]);
  await first.runDue();
  db().prepare("UPDATE webhooks SET failing_since = failing_since - 86400000").run();
  await Promise.all([first.runDue(), second.push.runDue()]);
  expect((await first.view()).disabled_reason).toBe("failures");
  const sending = Promise.withResolvers<void>();
  const taken = Promise.withResolvers<void>();
  const send = firstPorts.mail.send;
  firstPorts.mail.send = async (message) => {
    sending.resolve();
    await taken.promise;
    await send(message);
  };
  const sent = first.appliance.app.mailer.runDue();
  await sending.promise;
  await second.mailer.runDue();
  taken.resolve();
  await sent;
  await second.mailer.runDue();
  expect([...firstPorts.mail.sent, ...secondPorts.mail.sent]).toHaveLength(1);
});
