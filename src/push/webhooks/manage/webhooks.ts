import type { Plan } from "../../../customers/accounts/accounts.table.ts";
import type { Actor } from "../../../customers/audit/audit-log.ts";
import type { Database } from "../../../db/database.ts";
import type { Calls } from "../../../db/operations.ts";
import { AppError, fieldError } from "../../../errors.ts";
import type { Ports } from "../../../ports/ports.ts";
import { type Message, message } from "../../../values/messages/messages.ts";
import type { TargetGuard } from "../../../values/resolve-target.ts";
import type { SecretBox } from "../../../values/secret-box.ts";
import type { Target } from "../../../values/target-guard.ts";
import type { AttemptOutcome } from "../delivery/attempt.ts";
import type { Sender } from "../delivery/sender.ts";
import {
  addWebhook,
  changeWebhook,
  channelFaults,
  ownWebhook,
  type removeWebhookPart,
  requireEnabling,
  rotateSecret,
} from "./manage-webhooks.ts";
import { startResend, startTest } from "./manual-attempts.ts";
import type { OwnItem } from "./own-item.ts";
import { createWebhookReads } from "./webhook-reads.ts";
import type { AttemptView, NewSecretView, WebhookView } from "./webhook-views.ts";
import { selectWebhook } from "./webhooks.store.ts";

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
  { clock, random }: Pick<Ports, "clock" | "random">,
) {
  const { get, ...reads } = createWebhookReads(db);
  const newClaim = (): string => random.uuid(clock.now());

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
    ...reads,

    /** Why an address cannot be taken. */
    addressFaults,

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
      own: OwnItem,
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

    /** Refuses to enable a webhook that staff disabled, if it is the organization's. @throws AppError `conflict` */
    async refuseEnabling({ organizationId, id }: OwnItem): Promise<void> {
      const webhook = await selectWebhook(db, id);
      if (webhook?.organizationId === organizationId) requireEnabling(webhook, { isActive: true });
    },

    async remove(own: OwnItem, by: Actor): Promise<void> {
      while (await writer.removeWebhookPart({ ...own, by })) await clock.sleep(PAUSE_MS);
    },

    async rotate(own: OwnItem, overlapMs: number, by: Actor): Promise<NewSecretView> {
      const secret = secrets.create();
      await writer.rotateSecret({ ...own, secret: secrets.seal(secret), overlapMs, by });
      return { ...(await get(own)), secret };
    },

    async test(own: OwnItem): Promise<AttemptView> {
      return toAttemptView(
        await sender.attemptNow(own.organizationId, "ping", () =>
          writer.startTest({ ...own, claim: newClaim() }),
        ),
      );
    },

    async resend(own: OwnItem, deliveryId: number, by: Actor): Promise<AttemptView> {
      return toAttemptView(
        await sender.attemptNow(own.organizationId, "resend", () =>
          writer.startResend({ ...own, deliveryId, claim: newClaim(), by }),
        ),
      );
    },
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
