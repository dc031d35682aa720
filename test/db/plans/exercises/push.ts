import { COMMAND_LINE } from "../../../../src/customers/audit/audit-log.ts";
import { inTransaction } from "../../../../src/db/transaction.ts";
import { releaseClaims } from "../../../../src/push/webhooks/delivery/claim-due.ts";
import { claimDelivery } from "../../../../src/push/webhooks/delivery/deliveries.store.ts";
import {
  servedChannels,
  setChannels,
} from "../../../../src/push/webhooks/manage/watched-channels.store.ts";
import { imported } from "../../../support/expectations.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../../support/pushing.ts";
import type { World } from "../world.ts";

/**
 * Cuts and delivers events, makes attempts fail, moves the clock forwards and back, and manages webhooks.
 */
export async function exercisePush(world: World): Promise<void> {
  const { appliance, customer, call, webhooks } = world;
  const { app, ports } = appliance;
  const { clock, network } = ports;
  const { db, webhooks: staff, accounts } = app.domains;
  const [first = 0, second = 0, third = 0] = webhooks;

  await app.push.runDue();
  await app.push.tick();
  await app.mailer.runDue();
  clock.advance(MINUTE_MS);
  network.answer = ({ host }) => ({ status: host.startsWith("receiver0") ? 503 : 204 });
  await imported(appliance, "posts", freshPosts(clock.now()));
  await app.push.runDue();
  // Nothing ran for an hour; then, while another process makes an attempt, the clock is set back.
  clock.advance(HOUR_MS);
  await app.push.runDue();
  await inTransaction(db, clock, "deliveries", (tx) =>
    claimDelivery(tx, 1, "another's", clock.now()),
  );
  clock.advance(-2 * HOUR_MS);
  await app.push.runDue();
  ports.mail.isDown = true;
  clock.advance(DAY_MS + 3 * HOUR_MS);
  await app.push.runDue();
  clock.advance(MINUTE_MS);
  await app.push.runDue();
  await app.mailer.runDue();

  await exerciseAlerts(world);
  await call("GET", "?limit=100");
  await call("GET", `${first}/`);
  // A process was killed while it changed a list.
  await inTransaction(db, clock, "webhook-change", (tx) => setChannels(tx, first, [7, 8]));
  await servedChannels(db, first);
  await app.push.runDue();
  await call("PATCH", `${first}/`, { channels: [7, 8, 9], is_active: false });
  await call("PATCH", `${first}/`, { is_active: true, url: "https://receiver9.example/hook" });
  await call("POST", `${second}/rotate-secret/`, { overlap_hours: 1 });
  await call("POST", `${second}/test/`);
  const { body } = await call("GET", `${second}/deliveries/?limit=100`);
  await call("GET", `${second}/deliveries/?limit=100&cursor=${cursorOf(body.next)}`);
  const own = { organizationId: customer.organizationId, id: second };
  await app.services.webhooks.recentAttempts(own, 50);
  await app.services.webhooks.deliveryBody(own, body.results[0].delivery);
  for (const { delivery } of body.results.slice(0, 3)) {
    await call("POST", `${second}/deliveries/${delivery}/resend/`);
  }
  network.answer = () => ({ status: 503 });
  await call("POST", `${third}/test/`);
  await call("DELETE", `${third}/`);

  await releaseClaims(db, clock, [{ id: 1, claim: "none" }]);
  await staff.disable(second, "too many", COMMAND_LINE);
  await staff.enable(second, COMMAND_LINE);
  const { organizationId } = await staff.webhook(500);
  await accounts.archiveOrganization(organizationId, COMMAND_LINE);
  clock.advance(MINUTE_MS);
  await app.push.runDue();
  await accounts.restoreOrganization(organizationId, COMMAND_LINE);
}

/** Manages and lists alerts, which match posts and send as many as they may on a day. */
async function exerciseAlerts({ appliance, customer, webhooks }: World): Promise<void> {
  const { app, ports } = appliance;
  const { alerts } = app.services;
  const { organizationId } = customer;
  const by = COMMAND_LINE;
  const plan = await app.domains.accounts.plan("profi");
  const fields = { name: "A", q: "оповещение", webhookId: webhooks[0] ?? 0 };
  const none = {
    channelId: null,
    category: null,
    territory: null,
    isAd: null,
    digest: "each",
  } as const;
  const { id } = await alerts.create(organizationId, plan, { ...none, ...fields }, by);
  const hourly = { ...none, ...fields, webhookId: webhooks[1] ?? 0, digest: "hourly" } as const;
  const { id: mailed } = await alerts.create(organizationId, plan, hourly, by);
  const member = {
    organizationId,
    email: "mailed@example.org",
    name: "M",
    role: "member",
  } as const;
  const { id: memberId } = await app.domains.accounts.addMember(member, by);
  await alerts.setMailed({ organizationId, id: mailed }, memberId, true);
  const own = { organizationId, id };
  await alerts.list(organizationId, 0, 100);
  await alerts.preview(own);
  const read = async (from: number, count: number) => {
    await imported(appliance, "posts", freshPosts(ports.clock.now(), from, count, "Оповещение"));
    ports.clock.advance(MINUTE_MS);
    await app.push.runDue();
  };
  await read(2_000_000, 1_100);
  ports.clock.advance(HOUR_MS);
  await app.push.runDue();
  alerts.isMailed(mailed, memberId);
  alerts.mailedAlert("none");
  await alerts.endMails("none");
  await alerts.setMailed({ organizationId, id: mailed }, memberId, false);
  await alerts.change(own, { channelId: 5, name: "B" }, by);
  await alerts.preview(own);
  await alerts.remove(own, by);
}

/** One new post for each of some watched channels. */
function freshPosts(nowMs: number, from = 1_000_000, count = 1_000, text = "Новый пост") {
  return Array.from({ length: count }, (_, at) => ({
    id: from + at,
    channel: at + 1,
    text,
    published_at: new Date(nowMs).toISOString(),
  }));
}

function cursorOf(next: string | null): string {
  return next === null ? "" : (new URL(next).searchParams.get("cursor") ?? "");
}
