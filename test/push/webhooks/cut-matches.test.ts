import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { beginRemoval } from "../../../src/catalog/manage/removals.ts";
import { COMMAND_LINE } from "../../../src/customers/audit/audit-log.ts";
import type { Clock } from "../../../src/ports/clock.ts";
import {
  createAlertTurns,
  cutDigests,
  cutMatches,
  endMatchedPart,
  matchPosts,
} from "../../../src/push/webhooks/alerts/push-alerts.ts";
import { channelWatchers } from "../../../src/push/webhooks/manage/watched-channels.store.ts";
import { channel, imported } from "../../support/expectations.ts";
import { MINUTE_MS, numbers, type Pushing, RECEIVER, startPushing } from "../../support/pushing.ts";

/** Matches of alerts on their way into events, while something changes. */

let pushing: Pushing;
beforeEach(async () => {
  pushing = await startPushing();
});
afterEach(() => pushing.close());

async function alert(fields: object = {}, call = pushing.call): Promise<number> {
  const body = { name: "Mortgages", q: "ипотека", webhook: pushing.id, ...fields };
  const answer = await call("POST", "/v1/msgr/alerts/", body);
  expect(answer.status, JSON.stringify(answer.body)).toBe(201);
  return answer.body.id;
}

const read = (ids: readonly number[]) => pushing.read(ids, { channel: 3, text: "ипотека" });

/** The waiting posts' matches, as found before whatever the test does next. */
function matchWaiting() {
  const { db } = pushing.appliance.app.domains;
  const found = matchPosts(db, pushing.appliance.ports.clock, { after: 0 });
  if (found === null) throw new Error("no post is waiting");
  return found;
}

const sentTo = () =>
  pushing
    .attempts()
    .map(({ body }) => JSON.parse(body))
    .map(({ alert, posts }) => [alert.id, posts.map(({ id }: { id: number }) => id)]);

test("posts that were matched before their webhook was disabled are not sent, nor after it is enabled", async () => {
  const id = await alert();
  const { db } = pushing.appliance.app.domains;
  await read([1]);
  const found = matchWaiting();
  await pushing.change({ is_active: false });
  await cutMatches(db, pushing.appliance.ports.clock, found);
  expect(await pushing.deliveries()).toEqual([]);
  await pushing.change({ is_active: true });
  await read([2]);
  await pushing.pass(2 * MINUTE_MS);
  expect(sentTo()).toEqual([[id, [2]]]);
});

test("a post that was matched twice, as after a kill, is sent once", async () => {
  const id = await alert();
  const { db } = pushing.appliance.app.domains;
  const { clock } = pushing.appliance.ports;
  await read([1, 2]);
  const found = matchWaiting();
  await cutMatches(db, clock, found);
  await cutMatches(db, clock, found);
  await pushing.pass(2 * MINUTE_MS);
  expect(sentTo()).toEqual([[id, [1, 2]]]);
});

test("posts of an event come oldest first, whichever was read first", async () => {
  const id = await alert();
  for (const [minutesAgo, post] of [
    [5, 1],
    [50, 2],
    [20, 3],
  ] as const) {
    const published = new Date(pushing.now() - minutesAgo * MINUTE_MS).toISOString();
    await pushing.read([post], { channel: 3, text: "ипотека", published_at: published });
  }
  await pushing.pass(2 * MINUTE_MS);
  expect(sentTo()).toEqual([[id, [2, 3, 1]]]);
});

test("a transaction ends after some milliseconds, and the next one continues with the alerts that are left", async () => {
  const ids: number[] = [];
  for (let at = 0; at < 6; at++) ids.push(await alert());
  const { db } = pushing.appliance.app.domains;
  const { clock } = pushing.appliance.ports;
  let ms = 0;
  const slow: Clock = { ...clock, now: clock.now, monotonic: () => (ms += 2) };
  await read([1]);
  const { matched, last } = matchWaiting();
  expect(await cutMatches(db, slow, { matched, last })).toBe(3);
  expect(await cutMatches(db, slow, { matched: matched.slice(3), last })).toBe(3);
  await pushing.pass(2 * MINUTE_MS);
  expect(sentTo()).toEqual(ids.map((id) => [id, [1]]));
});

test("posts that take several steps to match are sent together, each once", async () => {
  const id = await alert();
  const { db } = pushing.appliance.app.domains;
  const { clock } = pushing.appliance.ports;
  let ms = 0;
  const slow: Clock = { ...clock, now: clock.now, monotonic: () => (ms += 4) };
  const steps: number[] = [];
  const turns = createAlertTurns(
    {
      async matchPosts(range) {
        const step = matchPosts(db, slow, range);
        steps.push(step?.posts ?? 0);
        return step;
      },
      cutMatches: (part) => cutMatches(db, clock, part),
      cutDigests: (at) => cutDigests(db, clock, at),
      endMatchedPart: (part) => endMatchedPart(db, clock, part),
    },
    { ...clock, now: clock.now, monotonic: clock.monotonic, sleep: async () => {} },
    null,
  );
  await turns.turn();
  await read(numbers(1, 10));
  steps.length = 0;
  await turns.turn();
  expect(Math.max(...steps)).toBeLessThan(10);
  await pushing.pass(2 * MINUTE_MS);
  expect(sentTo()).toEqual([[id, numbers(1, 10)]]);
});

test("each organization's alerts follow its own plan", async () => {
  const { appliance } = pushing;
  const { organizationId, key } = await appliance.customer({ access: "read_write" });
  const call: Pushing["call"] = (verb, path, body) =>
    appliance.request(path, {
      ...{ key, method: verb, body: JSON.stringify(body) },
      headers: { "content-type": "application/json" },
    });
  const webhook = await call("POST", "/v1/msgr/webhooks/", { url: RECEIVER, channels: [1] });
  const id = await alert();
  const another = await alert({ webhook: webhook.body.id }, call);
  const { accounts } = appliance.app.domains;
  await accounts.givePlan(organizationId, "start", null, COMMAND_LINE);
  await read([1]);
  await pushing.pass(2 * MINUTE_MS);
  expect(sentTo()).toEqual([[id, [1]]]);
  await accounts.givePlan(organizationId, "growth", null, COMMAND_LINE);
  await accounts.givePlan(pushing.customer.organizationId, "start", null, COMMAND_LINE);
  await read(numbers(2, 3));
  await pushing.pass(2 * MINUTE_MS);
  expect(sentTo().slice(1)).toEqual([[another, [2, 3]]]);
});

describe("a post of a channel that is being merged into another", () => {
  const begin = (id: number, intoId: number) =>
    beginRemoval(
      pushing.appliance.app.domains.db,
      pushing.appliance.ports.clock,
      channelWatchers,
      { id, intoId },
      COMMAND_LINE,
    );

  test("is sent as one of the other", async () => {
    const of = await alert({ channel: 2 });
    await read([1]);
    await begin(3, 2);
    await pushing.pass(2 * MINUTE_MS);
    expect(sentTo()).toEqual([[of, [1]]]);
  });

  test("is not sent if the other is hidden", async () => {
    await alert();
    await imported(pushing.appliance, "channels", [channel(4, { is_public: false })]);
    await read([1]);
    await begin(3, 4);
    await pushing.pass(2 * MINUTE_MS);
    expect(sentTo()).toEqual([]);
  });
});
