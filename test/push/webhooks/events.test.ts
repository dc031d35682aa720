import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { COMMAND_LINE } from "../../../src/customers/audit/audit-log.ts";
import { eventsOf } from "../../../src/push/webhooks/events/cut-events.ts";
import { channel, imported } from "../../support/expectations.ts";
import {
  DAY_MS,
  HOUR_MS,
  MINUTE_MS,
  numbers,
  type Pushing,
  postsOf,
  postsSent,
  SECOND_MS,
  startFailing,
  startPushing,
} from "../../support/pushing.ts";

let pushing: Pushing;
beforeEach(async () => {
  pushing = await startPushing();
});
afterEach(() => pushing.close());

const accounts = () => pushing.appliance.app.domains.accounts;
const staff = () => pushing.appliance.app.domains.webhooks;
const clock = () => pushing.appliance.ports.clock;

function instant(epochMs: number): string {
  return new Date(epochMs).toISOString();
}

async function isPublic(id: number, is_public: boolean): Promise<void> {
  await imported(pushing.appliance, "channels", [{ id, is_public }]);
}

describe("when events are created", () => {
  test("a new post is sent one minute after the last batch, not before", async () => {
    const batchedAt = pushing.now();
    await pushing.pass(10 * SECOND_MS);
    await pushing.read([1]);
    await pushing.passUntil(batchedAt + MINUTE_MS - 1);
    expect(postsSent(pushing)).toEqual([]);
    await pushing.passUntil(batchedAt + MINUTE_MS);
    expect(postsSent(pushing)).toEqual([[1]]);
  });

  test("posts read within one batch are one event, those of the next are another", async () => {
    await pushing.read([1]);
    await pushing.pass(59 * SECOND_MS);
    await pushing.read([2]);
    await pushing.pass(SECOND_MS);
    await pushing.read([3]);
    await pushing.pass(MINUTE_MS);
    expect(postsSent(pushing)).toEqual([[1, 2], [3]]);
  });

  test("KANALOG_WEBHOOK_BATCH_SECONDS sets the time between batches", async () => {
    await pushing.close();
    pushing = await startPushing({ KANALOG_WEBHOOK_BATCH_SECONDS: "5" });
    await pushing.read([1]);
    await pushing.pass(5 * SECOND_MS - 1);
    expect(postsSent(pushing)).toEqual([]);
    await pushing.pass(1);
    expect(postsSent(pushing)).toEqual([[1]]);
  });

  test("nothing is sent if nothing was read", async () => {
    await pushing.pass(10 * MINUTE_MS);
    expect(pushing.attempts()).toEqual([]);
  });

  test("posts are sent within a batch's time after the clock was set back a day", async () => {
    await pushing.pass(MINUTE_MS);
    clock().advance(-DAY_MS);
    await pushing.read([1]);
    await pushing.pass(2 * MINUTE_MS);
    expect(postsSent(pushing)).toEqual([[1]]);
  });

  test("posts read while the process was down are sent within a minute of its start", async () => {
    await pushing.pass(MINUTE_MS);
    await pushing.read([1]);
    clock().advance(5 * HOUR_MS);
    await pushing.runDue();
    await pushing.pass(MINUTE_MS);
    expect(postsSent(pushing)).toEqual([[1]]);
  });
});

describe("how posts are split into events", () => {
  test("101 posts are an event of 100 and one of 1, oldest first, in whatever order they were read", async () => {
    const now = pushing.now();
    const rows = numbers(1, 101).map((id) => ({
      id,
      channel: 1,
      text: "",
      // The greater the number, the older the post.
      published_at: instant(now - id * MINUTE_MS),
    }));
    const shuffled = rows.toSorted((a, b) => ((a.id * 37) % 101) - ((b.id * 37) % 101));
    await imported(pushing.appliance, "posts", shuffled);
    await pushing.pass(MINUTE_MS);
    const byNumber = pushing
      .attempts()
      .toSorted(
        (a, b) => Number(a.headers["x-service-delivery"]) - Number(b.headers["x-service-delivery"]),
      );
    expect(byNumber.map(postsOf)).toEqual([numbers(2, 101).reverse(), [1]]);
  });

  test("100 posts are one event", async () => {
    await pushing.send(numbers(1, 100));
    expect(pushing.attempts()).toHaveLength(1);
  });

  test("2,500 posts at once are 25 events of 100, with each post once", async () => {
    await pushing.send(numbers(1, 2500));
    const sent = postsSent(pushing);
    expect(sent.map(({ length }) => length)).toEqual(Array(25).fill(100));
    expect(sent.flat().toSorted((a, b) => a - b)).toEqual(numbers(1, 2500));
  });

  test("an event has at most a million characters of posts, unless a single one has more", () => {
    const lengths = [600_000, 400_000, 1, 999_999, 1_200_000, 5];
    const texts = new Map(lengths.map((length, id) => [id, "x".repeat(length) as never]));
    const events = eventsOf(pushing.appliance.app.domains.db, [...texts.keys()], texts);
    expect(events.map(({ postIds }) => postIds)).toEqual([[0, 1], [2, 3], [4], [5]]);
  });

  test("posts of all watched channels share an event", async () => {
    await pushing.read([1]);
    await pushing.read([2], { channel: 2 });
    await pushing.pass(MINUTE_MS);
    expect(postsSent(pushing)).toEqual([[1, 2]]);
  });
});

describe("what is sent", () => {
  test("the body has exactly the specified fields, with posts as the API returns them", async () => {
    await pushing.read([7], {
      text: 'Привет, "мир" 🙂\u2028\n\\ </script>',
      views: 12,
      is_ad: true,
      link: "https://t.me/channel/7",
    });
    await pushing.read([8], { channel: 2 });
    await pushing.passUntil(Date.parse("2026-11-20T12:01:00+03:00"));
    const shown: object[] = [];
    for (const id of [7, 8]) {
      const { body } = await pushing.call("GET", `/v1/msgr/posts/${id}/`);
      shown.push(body);
    }
    expect(JSON.parse(pushing.attempts()[0]?.body ?? "")).toEqual({
      event: "post.created",
      webhook: pushing.id,
      created_at: "2026-11-20T12:01:00+03:00",
      posts: shown,
    });
    expect(shown[0]).toMatchObject({ id: 7, channel: 1, views: 12, is_ad: true });
  });

  test("the request is a POST of JSON with event, delivery and signature in its headers", async () => {
    const sentAt = await pushing.send([1]);
    const [attempt] = pushing.attempts();
    const [delivery] = await pushing.deliveries();
    expect(attempt).toMatchObject({
      host: "receiver.example",
      authority: "receiver.example",
      port: 443,
      path: "/hook?from=kanalog",
    });
    expect(attempt?.headers).toMatchObject({
      "content-type": expect.stringContaining("application/json"),
      "x-service-event": "post.created",
      "x-service-delivery": String(delivery?.delivery),
      "x-service-signature": expect.stringMatching(
        new RegExp(`^t=${Math.floor(sentAt / 1000)},v1=[0-9a-f]{64}$`),
      ),
    });
  });

  test("a ping has the same shape, its own event and no posts", async () => {
    const { body } = await pushing.call("POST", `/v1/msgr/webhooks/${pushing.id}/test/`);
    const [attempt] = pushing.attempts();
    expect(JSON.parse(attempt?.body ?? "")).toEqual({
      event: "ping",
      webhook: pushing.id,
      created_at: "2026-11-20T12:00:00+03:00",
      posts: [],
    });
    expect(attempt?.headers).toMatchObject({
      "x-service-event": "ping",
      "x-service-delivery": String(body.delivery),
    });
  });

  test("the body has all fields of a post even if optional values are missing", async () => {
    await pushing.send([1]);
    const { body } = await pushing.call("GET", "/v1/msgr/posts/1/");
    expect(JSON.parse(pushing.attempts()[0]?.body ?? "").posts).toEqual([body]);
    expect(Object.keys(body)).toContain("link");
  });
});

describe("posts that are not sent", () => {
  test("those read before the webhook was created, although another one got them", async () => {
    await pushing.read([1]);
    const later = await pushing.add([1], "https://later.example/");
    await pushing.read([2]);
    await pushing.pass(MINUTE_MS);
    const sent = pushing.attempts().map((attempt) => [attempt.host, postsOf(attempt)]);
    expect(sent.toSorted()).toEqual([
      ["later.example", [2]],
      ["receiver.example", [1, 2]],
    ]);
    expect((await pushing.deliveries(later.id)).map(({ posts }) => posts)).toEqual([[2]]);
  });

  test("those read while the customer had disabled the webhook", async () => {
    await pushing.add([1], "https://other.example/");
    await pushing.change({ is_active: false });
    await pushing.read([1]);
    await pushing.pass(MINUTE_MS);
    expect(await pushing.deliveries()).toEqual([]);
    await pushing.read([2]);
    await pushing.change({ is_active: true });
    await pushing.read([3]);
    await pushing.pass(MINUTE_MS);
    expect((await pushing.deliveries()).map(({ posts }) => posts)).toEqual([[3]]);
  });

  test("those read before it was disabled whose batch came after it was enabled", async () => {
    await pushing.read([1]);
    await pushing.change({ is_active: false });
    await pushing.change({ is_active: true });
    await pushing.read([2]);
    await pushing.pass(MINUTE_MS);
    expect(postsSent(pushing)).toEqual([[2]]);
  });

  test("those read while the webhook was disabled for failures", async () => {
    const failedAt = await startFailing(pushing);
    await pushing.passUntil(failedAt + DAY_MS);
    expect((await pushing.view()).disabled_reason).toBe("failures");
    pushing.appliance.ports.network.posts.length = 0;
    await pushing.read([2]);
    await pushing.pass(2 * MINUTE_MS);
    await pushing.read([3]);
    await pushing.change({ is_active: true });
    await pushing.read([4]);
    await pushing.pass(MINUTE_MS);
    expect(postsSent(pushing)).toEqual([[4]]);
  });

  test("those read while staff had disabled the webhook", async () => {
    await staff().disable(pushing.id, "", COMMAND_LINE);
    await pushing.read([1]);
    await pushing.pass(2 * MINUTE_MS);
    await pushing.read([2]);
    await staff().enable(pushing.id, COMMAND_LINE);
    await pushing.read([3]);
    await pushing.pass(MINUTE_MS);
    expect(postsSent(pushing)).toEqual([[3]]);
  });

  test("those read while the plan had ended, after the renewal", async () => {
    const { organizationId } = pushing.customer;
    await accounts().givePlan(organizationId, "profi", pushing.now() + MINUTE_MS, COMMAND_LINE);
    await pushing.pass(2 * MINUTE_MS);
    await pushing.read([1]);
    await pushing.pass(2 * MINUTE_MS);
    await pushing.read([2]);
    await accounts().givePlan(organizationId, "profi", null, COMMAND_LINE);
    await pushing.read([3]);
    await pushing.pass(2 * MINUTE_MS);
    expect(postsSent(pushing)).toEqual([[3]]);
  });

  test("those read while the plan had ended, even if no process was running before the renewal", async () => {
    const { organizationId } = pushing.customer;
    await accounts().givePlan(organizationId, "profi", pushing.now() + MINUTE_MS, COMMAND_LINE);
    clock().advance(2 * MINUTE_MS);
    await pushing.read([1]);
    await accounts().givePlan(organizationId, "growth", null, COMMAND_LINE);
    await pushing.read([2]);
    await pushing.pass(2 * MINUTE_MS);
    expect(postsSent(pushing)).toEqual([[2]]);
  });

  test("none are lost if the plan was extended before its end", async () => {
    const { organizationId } = pushing.customer;
    await accounts().givePlan(organizationId, "profi", pushing.now() + HOUR_MS, COMMAND_LINE);
    await pushing.read([1]);
    await accounts().givePlan(organizationId, "profi", pushing.now() + DAY_MS, COMMAND_LINE);
    await pushing.pass(MINUTE_MS);
    await pushing.read([2]);
    await accounts().givePlan(organizationId, "growth", null, COMMAND_LINE);
    await pushing.pass(MINUTE_MS);
    expect(postsSent(pushing)).toEqual([[1], [2]]);
  });

  test("those of channels that no webhook watches", async () => {
    await pushing.read([1], { channel: 3 });
    await pushing.read([2]);
    await pushing.pass(MINUTE_MS);
    expect(postsSent(pushing)).toEqual([[2]]);
  });

  test("those read before the webhook watched their channel", async () => {
    await pushing.add([3], "https://other.example/");
    await pushing.read([1], { channel: 3 });
    await pushing.change({ channels: [1, 3] });
    await pushing.read([2], { channel: 3 });
    await pushing.pass(MINUTE_MS);
    expect((await pushing.deliveries()).map(({ posts }) => posts)).toEqual([[2]]);
  });

  test("but those of a channel that stays in a changed list are still sent", async () => {
    await pushing.read([1], { channel: 2 });
    await pushing.change({ channels: [3, 2] });
    await pushing.pass(MINUTE_MS);
    expect(postsSent(pushing)).toEqual([[1]]);
  });

  test("those of a channel that is no longer watched", async () => {
    await pushing.read([1], { channel: 1 });
    await pushing.change({ channels: [2] });
    await pushing.read([2], { channel: 1 });
    await pushing.read([3], { channel: 2 });
    await pushing.pass(MINUTE_MS);
    expect(postsSent(pushing)).toEqual([[3]]);
  });

  test("those of a channel that is no longer public, until it is public again", async () => {
    await pushing.read([1], { channel: 1 });
    await isPublic(1, false);
    await pushing.read([2], { channel: 1 });
    await pushing.read([3], { channel: 2 });
    await pushing.pass(MINUTE_MS);
    await isPublic(1, true);
    await pushing.read([4], { channel: 1 });
    await pushing.pass(MINUTE_MS);
    expect(postsSent(pushing)).toEqual([[3], [4]]);
  });

  test("those of an archived organization, neither new ones nor retries", async () => {
    await startFailing(pushing, [1]);
    await pushing.read([2]);
    await accounts().archiveOrganization(pushing.customer.organizationId, COMMAND_LINE);
    await pushing.read([3]);
    await pushing.pass(HOUR_MS);
    expect(postsSent(pushing)).toEqual([[1]]);
    expect(await staff().deliveries(pushing.id, { before: null, limit: 100 })).toMatchObject([
      { posts: [1], state: "dropped" },
    ]);
  });

  test("those of a deleted webhook, neither new ones nor retries", async () => {
    await startFailing(pushing, [1]);
    await pushing.read([2]);
    const { status } = await pushing.call("DELETE", `/v1/msgr/webhooks/${pushing.id}/`);
    expect(status).toBe(204);
    await pushing.pass(HOUR_MS);
    expect(postsSent(pushing)).toEqual([[1]]);
  });

  test("those of a rejected row", async () => {
    const { rejected } = await pushing.appliance.importRows("posts", [
      { id: 1, channel: 1, published_at: instant(pushing.now()), views: -1 },
      { id: 2, channel: 99, published_at: instant(pushing.now()) },
      { id: 3, channel: 1, published_at: instant(pushing.now()) },
    ]);
    expect(rejected).toBe(2);
    await pushing.pass(MINUTE_MS);
    expect(postsSent(pushing)).toEqual([[3]]);
  });

  test("those of a transaction that was rolled back", async () => {
    const { db } = pushing.appliance.app.domains;
    db.exec("BEGIN IMMEDIATE");
    db.prepare(
      `INSERT INTO posts (id, channel_id, text, views, is_ad, published_at, read_at)
         VALUES (1, 1, '', 0, 0, @now, @now)`,
    ).run({ now: pushing.now() });
    db.exec("ROLLBACK");
    await pushing.read([2]);
    await pushing.pass(MINUTE_MS);
    expect(postsSent(pushing)).toEqual([[2]]);
  });
});

describe("a post is sent as new only once", () => {
  test("an edit of a post that was sent is not sent", async () => {
    await pushing.send([1]);
    await pushing.read([1], { text: "Another text", views: 5 });
    await pushing.pass(2 * MINUTE_MS);
    expect(postsSent(pushing)).toEqual([[1]]);
  });

  test("an edit of a post that was read long ago is not sent", async () => {
    await pushing.read([1], { channel: 3 });
    await pushing.change({ channels: [1, 3] });
    await pushing.read([1], { channel: 3, text: "Another text" });
    await pushing.pass(2 * MINUTE_MS);
    expect(postsSent(pushing)).toEqual([]);
  });

  test("a post read and edited within one batch is sent once", async () => {
    await pushing.read([1]);
    await pushing.read([1], { text: "Another text" });
    await pushing.pass(2 * MINUTE_MS);
    expect(postsSent(pushing)).toEqual([[1]]);
  });

  test("a post that moved to another watched channel is not sent again", async () => {
    await pushing.send([1]);
    await pushing.read([1], { channel: 2 });
    await pushing.pass(2 * MINUTE_MS);
    expect(postsSent(pushing)).toEqual([[1]]);
  });

  test("a post that was sent is not sent again once the webhook is disabled and enabled", async () => {
    await pushing.send([1]);
    await pushing.change({ is_active: false });
    await pushing.change({ is_active: true });
    await pushing.pass(2 * MINUTE_MS);
    expect(postsSent(pushing)).toEqual([[1]]);
  });

  test("two webhooks on one channel both get it, each in an event of its own", async () => {
    const other = await pushing.add([1], "https://other.example/");
    await pushing.send([1]);
    const webhooks = pushing.attempts().map(({ body }) => JSON.parse(body).webhook);
    expect(webhooks.toSorted()).toEqual([pushing.id, other.id]);
    expect(postsSent(pushing)).toEqual([[1], [1]]);
    const deliveries = new Set(
      pushing.attempts().map(({ headers }) => headers["x-service-delivery"]),
    );
    expect(deliveries.size).toBe(2);
  });

  test("webhooks of two organizations on one channel both get it", async () => {
    const { key } = await pushing.appliance.customer({ access: "read_write" });
    const { status } = await pushing.appliance.request("/v1/msgr/webhooks/", {
      key,
      method: "POST",
      body: JSON.stringify({ url: "https://other.example/", channels: [1] }),
      headers: { "content-type": "application/json" },
    });
    expect(status).toBe(201);
    await pushing.send([1]);
    const hosts = pushing.attempts().map(({ host }) => host);
    expect(hosts.toSorted()).toEqual(["other.example", "receiver.example"]);
  });
});

describe("the age limit", () => {
  test("a post published exactly two days before the event is sent, one a millisecond older is not", async () => {
    const cutAt = pushing.now() + MINUTE_MS;
    await pushing.read([1], { published_at: instant(cutAt - 2 * DAY_MS) });
    await pushing.read([2], { published_at: instant(cutAt - 2 * DAY_MS - 1) });
    await pushing.passUntil(cutAt);
    expect(postsSent(pushing)).toEqual([[1]]);
  });

  test("a post that became too old while no process was running is not sent", async () => {
    await pushing.read([1], { published_at: instant(pushing.now() - DAY_MS) });
    await pushing.read([2]);
    clock().advance(DAY_MS + MINUTE_MS);
    await pushing.runDue();
    await pushing.pass(MINUTE_MS);
    expect(postsSent(pushing)).toEqual([[2]]);
  });

  test("a recent post among many old ones is sent", async () => {
    await pushing.read(numbers(1, 150), { published_at: "2026-11-01T00:00:00Z" });
    await pushing.read([151]);
    await pushing.pass(MINUTE_MS);
    expect(postsSent(pushing)).toEqual([[151]]);
  });

  test("a recent post of a new channel is sent once the webhook watches it", async () => {
    await imported(pushing.appliance, "channels", [channel(4)]);
    await pushing.change({ channels: [4] });
    await pushing.send([1], { channel: 4 });
    expect(postsSent(pushing)).toEqual([[1]]);
  });
});
