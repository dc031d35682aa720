import type { Actor } from "../../../customers/audit/audit-log.ts";
import type { Calls } from "../../../db/operations.ts";
import type { AttemptOutcome } from "../delivery/attempt.ts";
import type { Sender } from "../delivery/sender.ts";
import type { startResend, startTest } from "./manual-attempts.ts";
import type { OwnItem } from "./own-item.ts";
import type { AttemptView } from "./webhook-views.ts";

/** Attempts that somebody asks for, and waits for their outcome. */
export function createAskedAttempts(
  writer: Calls<{ startTest: typeof startTest; startResend: typeof startResend }>,
  sender: Pick<Sender, "attemptNow">,
  newClaim: () => string,
) {
  return {
    async test(own: OwnItem): Promise<AttemptView> {
      const start = () => writer.startTest({ ...own, claim: newClaim() });
      return toAttemptView(await sender.attemptNow(own.organizationId, "ping", start));
    },

    async resend(own: OwnItem, deliveryId: number, by: Actor): Promise<AttemptView> {
      const start = () => writer.startResend({ ...own, deliveryId, claim: newClaim(), by });
      return toAttemptView(await sender.attemptNow(own.organizationId, "resend", start));
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
