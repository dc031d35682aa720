import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { COMMAND_LINE } from "../../../src/customers/audit/audit-log.ts";
import { type Database, statement } from "../../../src/db/database.ts";
import { cutDigests } from "../../../src/push/webhooks/alerts/push-alerts.ts";
import { imported } from "../../support/expectations.ts";
import {
  DAY_MS,
  HOUR_MS,
  MINUTE_MS,
  numbers,
  type Pushing,
  startPushing,
} from "../../support/pushing.ts";

/** Alerts whose matches are sent together. The clock begins an hour and a bit into a Moscow day. */

let pushing: Pushing;
beforeEach(async () => {
  pushing = await startPushing();
});
afterEach(() => pushing.close());

const ALERTS = "/v1/msgr/alerts/";
const ADDRESS = { address: "https://kanalog.example" };

async function alert(fields: object = {}): Promise<number> {
  const body = { name: "Mortgages", q: "ипотека", webhook: pushing.id, ...fields };
  const answer = await pushing.call("POST", ALERTS, body);
  expect(answer.status, JSON.stringify(answer.body)).toBe(201);
  return answer.body.id;
}

const change = (id: number, body: object) => pushing.call("PATCH", `${ALERTS}${id}/`, body);
const read = (...ids: number[]) => pushing.read(ids, { channel: 3, text: "ипотека" });
const nextHour = () => Math.ceil((pushing.now() + 1) / HOUR_MS) * HOUR_MS;
/** Midnight in Moscow, three hours before that of UTC. */
const nextDay = () => Math.ceil((pushing.now() + 1 + 3 * HOUR_MS) / DAY_MS) * DAY_MS - 3 * HOUR_MS;

function sent(): number[][] {
  return pushing
    .attempts()
    .filter(({ headers }) => headers["x-service-event"] === "post.matched")
    .map(({ body }) => JSON.parse(body).posts.map(({ id }: { id: number }) => id));
}

function waiting(db: Database = pushing.appliance.app.domains.db): number {
  return statement<{ n: number }>(db, "SELECT count(*) AS n FROM alert_waiting").get()?.n ?? -1;
}

describe("a digest", () => {
  test("hourly: one event after the full hour with all posts since, and none where nothing matched", async () => {
    await alert({ digest: "hourly" });
    await pushing.passUntil(nextHour() + MINUTE_MS);
    await read(1);
    await pushing.pass(10 * MINUTE_MS);
    await read(2, 3);
    await pushing.passUntil(nextHour() - MINUTE_MS);
    expect(sent()).toEqual([]);
    await pushing.pass(3 * MINUTE_MS);
    expect(sent()).toEqual([[1, 2, 3]]);
    await pushing.pass(3 * HOUR_MS);
    expect(sent()).toEqual([[1, 2, 3]]);
  });

  test("daily: after midnight in Moscow, in events of at most a hundred posts", async () => {
    await alert({ digest: "daily" });
    await pushing.read(numbers(1, 150), { channel: 3, text: "ипотека" });
    await pushing.passUntil(nextDay() - MINUTE_MS);
    expect(sent()).toEqual([]);
    await pushing.pass(3 * MINUTE_MS);
    expect(sent().map((posts) => posts.length)).toEqual([100, 50]);
    expect(sent().flat()).toEqual(numbers(1, 150));
    expect(waiting()).toBe(0);
  });

  test("counts into the day's thousand posts when they are read", async () => {
    const id = await alert({ digest: "daily" });
    await pushing.read(numbers(1, 1100), { channel: 3, text: "ипотека" });
    await pushing.pass(5 * MINUTE_MS);
    expect((await pushing.call("GET", `${ALERTS}${id}/`)).body.sent_today).toBe(1000);
    expect(waiting()).toBe(1000);
  });

  test("leaves out posts that were deleted or hidden meanwhile", async () => {
    await alert({ digest: "hourly" });
    await read(1, 2);
    await pushing.read([3], { channel: 2, text: "ипотека" });
    await pushing.pass(2 * MINUTE_MS);
    await pushing.appliance.importRows("posts", [{ id: 1, channel: 3, deleted: true }]);
    await imported(pushing.appliance, "channels", [{ id: 2, is_public: false }]);
    await pushing.passUntil(nextHour() + 2 * MINUTE_MS);
    expect(sent()).toEqual([[2]]);
    expect(waiting()).toBe(0);
  });

  test("that was begun is sent when it was due, also if the alert's digest is changed meanwhile", async () => {
    const id = await alert({ digest: "hourly" });
    await read(1);
    await pushing.pass(2 * MINUTE_MS);
    expect((await change(id, { digest: "each" })).body).toMatchObject({ digest: "each" });
    await read(2);
    await pushing.pass(2 * MINUTE_MS);
    expect(sent()).toEqual([[2]]);
    await pushing.passUntil(nextHour() + 2 * MINUTE_MS);
    expect(sent()).toEqual([[2], [1]]);
  });

  test("is dropped if the webhook is disabled, the plan lacks the alert, or the alert is deleted", async () => {
    const { accounts } = pushing.appliance.app.domains;
    const { organizationId } = pushing.customer;
    const id = await alert({ digest: "hourly" });
    await read(1);
    await pushing.pass(2 * MINUTE_MS);
    await pushing.change({ is_active: false });
    await pushing.passUntil(nextHour() + 2 * MINUTE_MS);
    await pushing.change({ is_active: true });
    await read(2);
    await pushing.pass(2 * MINUTE_MS);
    await accounts.givePlan(organizationId, "start", null, COMMAND_LINE);
    await pushing.passUntil(nextHour() + 2 * MINUTE_MS);
    await accounts.givePlan(organizationId, "profi", null, COMMAND_LINE);
    await read(3);
    await pushing.pass(2 * MINUTE_MS);
    expect(waiting()).toBe(1);
    await pushing.call("DELETE", `${ALERTS}${id}/`);
    expect(waiting()).toBe(0);
    await pushing.passUntil(nextHour() + 2 * MINUTE_MS);
    expect(sent()).toEqual([]);
  });

  test("comes when it was due after the clock was set back, and once after a pause of three days", async () => {
    await alert({ digest: "hourly" });
    const { clock } = pushing.appliance.ports;
    clock.advance(400 * DAY_MS);
    await read(1);
    await pushing.pass(2 * MINUTE_MS);
    clock.advance(-400 * DAY_MS);
    await pushing.pass(HOUR_MS);
    expect(sent()).toEqual([[1]]);
    await read(2);
    await pushing.pass(2 * MINUTE_MS);
    clock.advance(3 * DAY_MS);
    await pushing.pass(2 * MINUTE_MS);
    expect(sent()).toEqual([[1], [2]]);
  });
});

test("a kill at any moment of a digest's transaction loses no post and sends none twice", async () => {
  const { db } = pushing.appliance.app.domains;
  const { clock } = pushing.appliance.ports;
  const ids = [await alert({ digest: "hourly" }), await alert({ digest: "hourly" })];
  await mailTo(ids[0] ?? 0);
  await read(...numbers(1, 150));
  await pushing.pass(2 * MINUTE_MS);
  clock.advance(HOUR_MS);
  const events = () =>
    statement<{ alert: number; posts: string }>(
      db,
      "SELECT alert_id AS alert, posts FROM webhook_deliveries WHERE event = 'post.matched' ORDER BY id",
    ).all();
  // What is not committed is gone after a kill: so is what a failing statement of each kind rolls back.
  const mails = () => statement(db, "SELECT 1 FROM mails").all().length;
  for (const table of ["webhook_deliveries", "webhook_bodies", "alert_waiting", "mails"]) {
    const verb = table === "alert_waiting" ? "DELETE" : "INSERT";
    for (const row of table === "mails" ? [1] : [1, 3]) {
      db.exec(`CREATE TEMP TABLE killed_after (n INTEGER); INSERT INTO killed_after VALUES (${row});
        CREATE TEMP TRIGGER killed BEFORE ${verb} ON main.${table} BEGIN
          UPDATE killed_after SET n = n - 1;
          SELECT RAISE(ABORT, 'killed') FROM killed_after WHERE n <= 0;
        END`);
      await expect(cutDigests(db, clock, ADDRESS), `${table} ${row}`).rejects.toThrow("killed");
      db.exec("DROP TRIGGER temp.killed; DROP TABLE temp.killed_after");
      expect([events(), waiting(), mails()]).toEqual([[], 450, 0]);
    }
  }
  while (await cutDigests(db, clock, ADDRESS));
  await cutDigests(db, clock, ADDRESS);
  expect([waiting(), mails()]).toEqual([0, 1]);
  for (const id of ids) {
    const own = events().filter(({ alert }) => alert === id);
    expect(own.flatMap(({ posts }) => JSON.parse(posts))).toEqual(numbers(1, 150));
  }
});

describe("by mail", () => {
  const mailed = async () => {
    await pushing.appliance.app.mailer.runDue();
    return pushing.appliance.ports.mail.sent.map(({ to, subject, text, unsubscribe }) => ({
      ...{ to: to[0], subject, text, unsubscribe },
    }));
  };

  test("whoever wants it gets one mail an hour, with the posts, the alert and how to end it", async () => {
    const id = await alert({ name: "Ставки <b>" });
    await mailTo(id, "one@example.org");
    await mailTo(id, "two@example.org");
    await pushing.read(numbers(1, 25), { channel: 3, text: "Ставка по ипотеке\nвыросла" });
    await pushing.pass(2 * MINUTE_MS);
    // The webhook gets them at once.
    expect(sent()).toEqual([numbers(1, 25)]);
    await pushing.passUntil(nextHour() + 2 * MINUTE_MS);
    const [first, second, ...others] = await mailed();
    expect([first?.to, second?.to, others]).toEqual(["one@example.org", "two@example.org", []]);
    expect(first?.subject).toBe("Ставки <b>: 25 новых постов / Ставки <b>: 25 new posts");
    expect(first?.text.match(/Ставка по ипотеке выросла/g)).toHaveLength(20);
    expect(first?.text).toContain("… +5\n");
    expect(first?.text).toContain(`/account/alerts/${id}/\n`);
    expect(first?.text).toContain(`: ${first?.unsubscribe}\n`);
    expect(first?.unsubscribe).toMatch(/\/account\/alert-mails\/\?token=[\w-]{32}$/);
    expect(first?.unsubscribe).not.toBe(second?.unsubscribe);
    expect(pushing.appliance.ports.mail.sent[0]?.html).toContain("Ставки &lt;b&gt;");
    await pushing.pass(2 * HOUR_MS);
    expect(await mailed()).toHaveLength(2);
  });

  test("daily digests are mailed daily, and a member who ended them or is suspended gets none", async () => {
    const id = await alert({ digest: "daily" });
    const { accounts } = pushing.appliance.app.domains;
    const ended = await mailTo(id, "ended@example.org");
    const suspended = await mailTo(id, "suspended@example.org");
    await mailTo(id, "kept@example.org");
    await read(1);
    await pushing.passUntil(nextDay() - MINUTE_MS);
    expect(await mailed()).toEqual([]);
    const { services } = pushing.appliance.app;
    const { organizationId } = pushing.customer;
    await services.alerts.setMailed({ organizationId, id }, ended, false);
    await accounts.suspendMember(suspended, COMMAND_LINE);
    await pushing.pass(3 * MINUTE_MS);
    expect((await mailed()).map(({ to }) => to)).toEqual(["kept@example.org"]);
  });
});

/** Has an alert mailed to a new member. @returns the member's number */
async function mailTo(alertId: number, email = "one@example.org"): Promise<number> {
  const { domains, services } = pushing.appliance.app;
  const { organizationId } = pushing.customer;
  const added = { organizationId, email, name: "A", role: "member" } as const;
  const { id } = await domains.accounts.addMember(added, COMMAND_LINE);
  await services.alerts.setMailed({ organizationId, id: alertId }, id, true);
  return id;
}
