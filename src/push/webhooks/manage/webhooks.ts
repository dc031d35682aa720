import type { Plan } from "../../../customers/accounts/accounts.table.ts";
import type { Actor } from "../../../customers/audit/audit-log.ts";
import type { Database } from "../../../db/database.ts";
import type { Calls } from "../../../db/operations.ts";
import { AppError, fieldError, notFound } from "../../../errors.ts";
import type { Clock } from "../../../ports/clock.ts";
import type { Random } from "../../../ports/random.ts";
import { type Message, message } from "../../../values/messages/messages.ts";
import { formatInstant } from "../../../values/moscow-time.ts";
import type { TargetGuard } from "../../../values/resolve-target.ts";
import type { SecretBox } from "../../../values/secret-box.ts";
import type { Target } from "../../../values/target-guard.ts";
import type { AttemptOutcome } from "../delivery/attempt.ts";
import type { Sender } from "../delivery/sender.ts";
import { type DeliverySelection, selectDeliveries } from "./deliveries-log.store.ts";
import { type RecentAttempt, selectBody, selectRecentAttempts } from "./glance.store.ts";
import {
  addWebhook,
  changeWebhook,
  channelFaults,
  type OwnWebhook,
  ownWebhook,
  type removeWebhookPart,
  requireEnabling,
  rotateSecret,
} from "./manage-webhooks.ts";
import { startResend, startTest } from "./manual-attempts.ts";
import type { AttemptView, DeliveryView, NewSecretView, WebhookView } from "./webhook-views.ts";
import {
  countWebhooksNow,
  selectWatching,
  selectWatchingPage,
  type WatchingWebhook,
} from "./webhooks.store.ts";

/** An address as it was given, and as it was read. */
export interface GivenTarget {
  url: string;
  target: Target;
}

/** Changes of webhooks, on the thread that writes what people ask for. */
export const webhookChanges = { addWebhook, changeWebhook, rotateSecret, startTest, startResend };

/** A removal may be long, and has the thread of what is done by the clock. */
type Changes = Calls<typeof webhookChanges & { removeWebhookPart: typeof removeWebhookPart }>;

/** How long finding the addresses of a name may take while its webhook is made or changed. */
const RESOLVE_MAX_MS = 5_000;
/** Between two parts of a removal, so that other writers get in. */
const PAUSE_MS = 3;
/** The one message for a name that does not exist and for one of a private network. */
const REFUSED = message("addressRefused");

export type Webhooks = ReturnType<typeof createWebhooks>;

/**
 * An organization's webhooks. Every verb that names one throws `not_found` for another
 * organization's.
 */
export function createWebhooks(
  db: Database,
  writer: Changes,
  guard: TargetGuard,
  secrets: SecretBox,
  sender: Pick<Sender, "attemptNow">,
  { clock, random }: { clock: Clock; random: Random },
) {
  const newClaim = (): string => random.uuid(clock.now());

  async function get({ organizationId, id }: OwnWebhook): Promise<WebhookView> {
    const webhook = await selectWatching(db, id);
    if (webhook?.organizationId !== organizationId) throw notFound("webhook");
    return toView(webhook);
  }

  async function addressFaults({ target }: GivenTarget): Promise<Message[]> {
    const resolution = await guard(target, RESOLVE_MAX_MS);
    // A name server that does not answer is nobody's mistake, and each attempt is guarded anyway.
    return resolution.ok || resolution.reason === "unresolved" ? [] : [REFUSED];
  }

  /** @throws AppError `invalid` on `url`, and then on `channels` too */
  async function requireAcceptable(
    given: GivenTarget,
    plan: Plan,
    channels: readonly number[],
  ): Promise<void> {
    const url = await addressFaults(given);
    if (url.length === 0) return;
    const ofChannels = await channelFaults(db, plan, channels);
    throw fieldError({ url, ...(ofChannels.length > 0 && { channels: ofChannels }) });
  }

  return {
    get,
    /** Why an address cannot be taken. */
    addressFaults,
    count: (organizationId: number): number => countWebhooksNow(db, organizationId),

    async list(
      organizationId: number,
      after: number,
      limit: number,
    ): Promise<{ results: WebhookView[]; last: readonly [number] | null }> {
      const rows = await selectWatchingPage(db, { organizationId, after, limit: limit + 1 });
      const shown = rows.slice(0, limit);
      const last = rows.length > limit ? shown.at(-1) : undefined;
      return {
        results: shown.map(toView),
        last: last === undefined ? null : [last.id],
      };
    },

    async create(
      organizationId: number,
      plan: Plan,
      { given, channels }: { given: GivenTarget; channels: number[] },
      by: Actor,
    ): Promise<NewSecretView> {
      await requireAcceptable(given, plan, channels);
      const secret = secrets.create();
      const sealed = secrets.seal(secret);
      const row = { organizationId, plan, url: given.url, channels, secret: sealed, by };
      const id = await writer.addWebhook(row);
      return { ...(await get({ organizationId, id })), secret };
    },

    async change(
      own: OwnWebhook,
      plan: Plan,
      {
        given,
        channels,
        isActive,
      }: {
        given: GivenTarget | undefined;
        channels: number[] | undefined;
        isActive: boolean | undefined;
      },
      by: Actor,
    ): Promise<WebhookView> {
      const webhook = await ownWebhook(db, own);
      requireEnabling(webhook, { isActive });
      if (isActive === true && secrets.open(webhook.secret) === null) {
        throw new AppError("conflict", message("secretUnreadable"));
      }
      if (given !== undefined) await requireAcceptable(given, plan, channels ?? []);
      await writer.changeWebhook({
        ...own,
        plan,
        change: { url: given?.url, channels, isActive },
        by,
      });
      return get(own);
    },

    async remove(own: OwnWebhook, by: Actor): Promise<void> {
      while (await writer.removeWebhookPart({ ...own, by })) await clock.sleep(PAUSE_MS);
    },

    async rotate(own: OwnWebhook, overlapMs: number, by: Actor): Promise<NewSecretView> {
      const secret = secrets.create();
      await writer.rotateSecret({ ...own, secret: secrets.seal(secret), overlapMs, by });
      return { ...(await get(own)), secret };
    },

    async test(own: OwnWebhook): Promise<AttemptView> {
      return toAttemptView(
        await sender.attemptNow(own.organizationId, "ping", () =>
          writer.startTest({ ...own, claim: newClaim() }),
        ),
      );
    },

    async resend(own: OwnWebhook, deliveryId: number, by: Actor): Promise<AttemptView> {
      return toAttemptView(
        await sender.attemptNow(own.organizationId, "resend", () =>
          writer.startResend({ ...own, deliveryId, claim: newClaim(), by }),
        ),
      );
    },

    async deliveries(
      own: OwnWebhook,
      page: Omit<DeliverySelection, "webhookId">,
    ): Promise<{ results: DeliveryView[]; last: readonly [number] | null }> {
      await ownWebhook(db, own);
      return selectDeliveries(db, { ...page, webhookId: own.id });
    },

    /** The last attempts of the latest deliveries, the oldest first. */
    async recentAttempts(own: OwnWebhook, limit: number): Promise<RecentAttempt[]> {
      await ownWebhook(db, own);
      return selectRecentAttempts(db, { webhookId: own.id, limit });
    },

    /** A delivery's body, byte for byte. @throws AppError `not_found` */
    async deliveryBody(own: OwnWebhook, id: number): Promise<string> {
      await ownWebhook(db, own);
      const body = await selectBody(db, { webhookId: own.id, id });
      if (body === undefined) throw notFound("delivery");
      return body;
    },
  };
}

function toView(webhook: WatchingWebhook): WebhookView {
  return {
    id: webhook.id,
    url: webhook.url,
    channels: webhook.channels,
    is_active: webhook.disabledReason === "",
    disabled_reason: webhook.disabledReason,
    last_success_at: webhook.lastSuccessAt === null ? null : formatInstant(webhook.lastSuccessAt),
    last_error: webhook.lastError,
    created_at: formatInstant(webhook.createdAt),
    updated_at: formatInstant(webhook.updatedAt),
  };
}

function toAttemptView({
  status,
  error,
  durationMs,
  delivery,
}: AttemptOutcome & { delivery: number }): AttemptView {
  return { delivered: error === "", status, error, duration_ms: durationMs, delivery };
}
