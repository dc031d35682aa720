import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { COMMAND_LINE } from "../../../src/customers/audit/audit-log.ts";
import { statement } from "../../../src/db/database.ts";
import { ALERT_POSTS_A_DAY } from "../../../src/push/webhooks/alerts/loaded-alerts.ts";
import { channel, imported } from "../../support/expectations.ts";
import {
  DAY_MS,
  HOUR_MS,
  MINUTE_MS,
  numbers,
  type Pushing,
  postsSent,
  SECOND_MS,
  startPushing,
} from "../../support/pushing.ts";

/** Alerts of a webhook that watches channels 1 and 2 of 3: posts of channel 3 are only sent by alerts. */

let pushing: Pushing;
beforeEach(async () => {
  pushing = await startPushing();
});
afterEach(() => pushing.close());

const ALERTS = "/v1/msgr/alerts/";

async function alert(fields: object = {}): Promise<number> {
  const body = { name: "Mortgages", q: "ипотека", webhook: pushing.id, ...fields };
  const answer = await pushing.call("POST", ALERTS, body);
  expect(answer.status, JSON.stringify(answer.body)).toBe(201);
  return answer.body.id;
}

const change = (id: number, body: object) => pushing.call("PATCH", `${ALERTS}${id}/`, body);

/** The `post.matched` events that were sent: the alert's number, and the posts' numbers. */
function matched(): [alert: number, posts: number[]][] {
  return pushing
    .attempts()
    .filter(({ headers }) => headers["x-service-event"] === "post.matched")
    .map(({ body }) => JSON.parse(body))
    .map(({ alert, posts }) => [alert.id, posts.map(({ id }: { id: number }) => id)]);
}

async function read(id: number, text: string, more: object = {}): Promise<void> {
  await pushing.read([id], { channel: 3, text, ...more });
}

describe("a new post that matches", () => {
  test("is sent as post.matched with the alert beside the posts, one batch after it was read", async () => {
    const id = await alert({ name: 'Mortgages "new"' });
    await read(1, "Купили квартиру без ипотеки");
    await read(2, "Погода");
    await pushing.pass(MINUTE_MS);
    const [sent, ...others] = pushing.attempts();
    expect(others).toEqual([]);
    expect(sent?.headers["x-service-event"]).toBe("post.matched");
    const body = JSON.parse(sent?.body ?? "");
    expect(Object.keys(body)).toEqual(["event", "webhook", "created_at", "alert", "posts"]);
    expect(body).toMatchObject({
      event: "post.matched",
      webhook: pushing.id,
      alert: { id, name: 'Mortgages "new"' },
      posts: [{ id: 1, channel: 3, text: "Купили квартиру без ипотеки" }],
    });
    expect((await pushing.deliveries())[0]).toMatchObject({ event: "post.matched", posts: [1] });
  });

  test("is sent in addition to post.created, which is unchanged", async () => {
    await alert();
    await pushing.read([1], { text: "Ставка по ипотеке" });
    await pushing.pass(MINUTE_MS);
    const [created, another] = pushing.attempts();
    expect(created?.headers["x-service-event"]).toBe("post.created");
    expect(created?.body).toStartWith(
      `{"event":"post.created","webhook":${pushing.id},"created_at":"`,
    );
    expect(created?.body).toMatch(/"created_at":"[^"]+","posts":\[\{"id":1,/);
    expect(another?.headers["x-service-event"]).toBe("post.matched");
  });

  test("is sent once for each alert that it matches", async () => {
    const one = await alert();
    const other = await alert({ q: "ставка | курс" });
    await alert({ q: "погода" });
    await read(1, "Ставка по ипотеке");
    await pushing.pass(5 * MINUTE_MS);
    expect(matched().toSorted()).toEqual([
      [one, [1]],
      [other, [1]],
    ]);
  });

  test("is found by each kind of term that post search has", async () => {
    const text = "Банк снизил ставку по ипотеке: новости #ипотека от @bank_news";
    const finding = ["ипотека", '"снизил ставку"', "=ипотеке", "новос*", "#ипотека", "@bank_news"];
    const missing = ["=ипотека -банк", '"ставку снизил"', "новосел*", "#банк", "ставка -банком"];
    const ids: number[] = [];
    for (const q of finding) ids.push(await alert({ q }));
    for (const q of missing) await alert({ q });
    await read(1, text);
    await pushing.pass(2 * MINUTE_MS);
    expect(
      matched()
        .map(([id]) => id)
        .toSorted((a, b) => a - b),
    ).toEqual(ids);
  });

  test("is not sent if it was read before the alert was created, or before its query was changed", async () => {
    await alert({ q: "погода" });
    await read(1, "ипотека");
    const id = await alert();
    await pushing.pass(MINUTE_MS);
    await read(2, "курс");
    await change(id, { q: "курс" });
    await read(3, "курс");
    await change(id, { name: "Rates" });
    await pushing.pass(2 * MINUTE_MS);
    expect(matched()).toEqual([[id, [3]]]);
  });

  test("is not sent again when it is edited, nor when only an edit makes it match", async () => {
    const id = await alert();
    await read(1, "ипотека");
    await read(2, "погода");
    await pushing.pass(MINUTE_MS);
    await read(1, "ипотека подешевела");
    await read(2, "ипотека");
    await pushing.pass(2 * MINUTE_MS);
    expect(matched()).toEqual([[id, [1]]]);
  });

  test("is not sent when it is two days old", async () => {
    const id = await alert();
    await read(1, "ипотека", {
      published_at: new Date(pushing.now() - 2 * DAY_MS + HOUR_MS).toISOString(),
    });
    await read(2, "ипотека", {
      published_at: new Date(pushing.now() - 2 * DAY_MS - SECOND_MS).toISOString(),
    });
    await pushing.pass(MINUTE_MS);
    expect(matched()).toEqual([[id, [1]]]);
    await read(3, "ипотека");
    pushing.appliance.ports.clock.advance(2 * DAY_MS + SECOND_MS);
    await pushing.pass(2 * MINUTE_MS);
    expect(matched()).toEqual([[id, [1]]]);
  });

  test("is not sent if it was removed before, or if its channel is hidden", async () => {
    await alert();
    await imported(pushing.appliance, "channels", [channel(4)]);
    await read(1, "ипотека");
    await pushing.read([2], { channel: 4, text: "ипотека" });
    await pushing.appliance.importRows("posts", [{ id: 1, channel: 3, deleted: true }]);
    await imported(pushing.appliance, "channels", [{ id: 4, is_public: false }]);
    await pushing.pass(2 * MINUTE_MS);
    expect(matched()).toEqual([]);
  });

  test("is one of 250, which are sent in events of 100, 100 and 50", async () => {
    await alert();
    await pushing.read(numbers(1, 250), { channel: 3, text: "ипотека" });
    await pushing.pass(2 * MINUTE_MS);
    expect(matched().map(([, posts]) => posts.length)).toEqual([100, 100, 50]);
  });
});

describe("filters", () => {
  test("channel: only its posts, also after it is merged into another", async () => {
    const id = await alert({ channel: 3 });
    await pushing.read([1], { channel: 1, text: "ипотека" });
    await read(2, "ипотека");
    await pushing.pass(MINUTE_MS);
    expect(matched()).toEqual([[id, [2]]]);
    await pushing.appliance.app.domains.channels.merge(3, 2, COMMAND_LINE);
    await pushing.read([3], { channel: 2, text: "ипотека" });
    await pushing.pass(2 * MINUTE_MS);
    expect(matched()).toEqual([
      [id, [2]],
      [id, [3]],
    ]);
  });

  test("category: primary or additional; territory: including those below; is_ad: the post's", async () => {
    await imported(pushing.appliance, "channels", [
      { ...channel(3), category: "science", categories: ["economics"], territory: "moskva" },
    ]);
    const wanted = [
      await alert({ category: "science" }),
      await alert({ category: "economics" }),
      await alert({ territory: "moskva" }),
      await alert({ territory: "russia" }),
      await alert({ is_ad: true }),
    ];
    await alert({ category: "news" });
    await alert({ is_ad: false });
    await read(1, "ипотека", { is_ad: true });
    await pushing.pass(2 * MINUTE_MS);
    expect(
      matched()
        .map(([id]) => id)
        .toSorted((a, b) => a - b),
    ).toEqual(wanted);
  });
});

describe("an alert", () => {
  test("gets nothing while its webhook is disabled, continues once it is enabled, and is deleted with it", async () => {
    const id = await alert();
    await read(1, "ипотека");
    await pushing.change({ is_active: false });
    await pushing.pass(MINUTE_MS);
    await read(2, "ипотека");
    await pushing.change({ is_active: true });
    await read(3, "ипотека");
    await pushing.pass(2 * MINUTE_MS);
    expect(matched()).toEqual([[id, [3]]]);
    expect((await pushing.call("DELETE", `/v1/msgr/webhooks/${pushing.id}/`)).status).toBe(204);
    expect((await pushing.call("GET", `${ALERTS}${id}/`)).status).toBe(404);
  });

  test("sends nothing after the plan ends, can still be seen and deleted, and resumes with the plan", async () => {
    const id = await alert();
    const { accounts } = pushing.appliance.app.domains;
    const { organizationId } = pushing.customer;
    await accounts.givePlan(organizationId, "start", null, COMMAND_LINE);
    await read(1, "ипотека");
    await pushing.pass(2 * MINUTE_MS);
    expect((await pushing.call("GET", `${ALERTS}${id}/`)).status).toBe(200);
    expect((await change(id, { q: "курс" })).body.code).toBe("tariff_required");
    await accounts.givePlan(organizationId, "growth", null, COMMAND_LINE);
    await read(2, "ипотека");
    await pushing.pass(2 * MINUTE_MS);
    expect(matched()).toEqual([[id, [2]]]);
    await accounts.givePlan(organizationId, "start", null, COMMAND_LINE);
    expect((await pushing.call("DELETE", `${ALERTS}${id}/`)).status).toBe(204);
    expect((await pushing.call("GET", ALERTS)).body.code).toBe("tariff_required");
  });

  test("pauses and says so if it is among the newest beyond a smaller plan, and resumes with a larger one", async () => {
    const { accounts } = pushing.appliance.app.domains;
    const { organizationId } = pushing.customer;
    const ids: number[] = [];
    for (let at = 0; at < 12; at++) ids.push(await alert());
    const sentTo = async (post: number): Promise<number[]> => {
      const before = matched().length;
      await read(post, "ипотека");
      await pushing.pass(2 * MINUTE_MS);
      return matched()
        .slice(before)
        .map(([id]) => id)
        .toSorted((one, other) => one - other);
    };
    const states = async () =>
      (await pushing.call("GET", ALERTS)).body.results.map(
        ({ is_active, disabled_reason }: { is_active: boolean; disabled_reason: string }) =>
          `${is_active} ${disabled_reason}`,
      );
    await accounts.givePlan(organizationId, "growth", null, COMMAND_LINE);
    expect(await sentTo(1)).toEqual(ids.slice(0, 10));
    const [going, paused] = [Array(10).fill("true "), Array(2).fill("false plan")];
    expect(await states()).toEqual([...going, ...paused]);
    expect((await pushing.call("GET", `${ALERTS}${ids[11]}/`)).body).toMatchObject({
      is_active: false,
      disabled_reason: "plan",
    });
    // If an active one is deleted, the oldest paused one becomes active.
    await pushing.call("DELETE", `${ALERTS}${ids[0]}/`);
    expect(await sentTo(2)).toEqual(ids.slice(1, 11));
    await accounts.givePlan(organizationId, "profi", null, COMMAND_LINE);
    expect(await sentTo(3)).toEqual(ids.slice(1));
    expect(await states()).toEqual(Array(11).fill("true "));
    await accounts.givePlan(organizationId, "start", null, COMMAND_LINE);
    expect(await states()).toEqual(Array(11).fill("false plan"));
  });

  test("sends at most a thousand posts per Moscow day, and drops the rest of that day", async () => {
    const id = await alert();
    const other = await alert({ q: "погода" });
    for (const ids of [numbers(1, 700), numbers(701, ALERT_POSTS_A_DAY + 20)]) {
      await pushing.read(ids, { channel: 3, text: "ипотека" });
      await pushing.pass(MINUTE_MS);
    }
    const sent = () => matched().reduce((sum, [, posts]) => sum + posts.length, 0);
    expect(sent()).toBe(ALERT_POSTS_A_DAY);
    expect((await pushing.call("GET", `${ALERTS}${id}/`)).body.sent_today).toBe(ALERT_POSTS_A_DAY);
    await read(2001, "ипотека, погода");
    await pushing.pass(MINUTE_MS);
    expect(matched().at(-1)).toEqual([other, [2001]]);
    expect(sent()).toBe(ALERT_POSTS_A_DAY + 1);
    await pushing.pass(DAY_MS);
    expect((await pushing.call("GET", `${ALERTS}${id}/`)).body.sent_today).toBe(0);
    await read(2002, "ипотека");
    await pushing.pass(2 * MINUTE_MS);
    expect(matched().at(-1)).toEqual([id, [2002]]);
  });

  test("leaves no post in the queue once it is matched, and posts are not queued while there are no alerts", async () => {
    const { db } = pushing.appliance.app.domains;
    const waiting = () =>
      statement<{ n: number }>(db, "SELECT count(*) AS n FROM alert_posts").get()?.n;
    await read(1, "ипотека");
    expect(waiting()).toBe(0);
    await alert();
    await pushing.read(numbers(2, 300), { channel: 3, text: "погода" });
    expect(waiting()).toBe(299);
    await pushing.pass(2 * MINUTE_MS);
    expect(waiting()).toBe(0);
    expect(postsSent(pushing)).toEqual([]);
  });
});
