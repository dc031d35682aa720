import { AppError } from "../../../errors.ts";
import { type Claims, takeOneOf } from "../../../values/claims.ts";
import { message } from "../../../values/messages/messages.ts";

/** Limits for attempts that a caller waits for: in this process, and per organization across workers. */
const MANUAL_MAX = 24;
const MANUAL_OF_ORGANIZATION_MAX = 6;

/**
 * Limits the attempts that a caller waits for.
 * @param turns slots of organizations, shared by all workers
 */
export function createManualTurns(turns: Claims) {
  const underWay = new Set<Promise<unknown>>();
  let isClosed = false;
  return {
    /**
     * Makes an attempt now.
     * @throws AppError `unavailable` if too many are in progress, `throttled` if too many of the
     * organization's are
     */
    async run<Result>(
      organizationId: number | null,
      attempt: () => Promise<Result>,
    ): Promise<Result> {
      if (underWay.size >= MANUAL_MAX || isClosed) {
        throw new AppError("unavailable", message("deliveriesBusy"));
      }
      const turn = takeOneOf(
        turns,
        String(organizationId ?? "operator"),
        MANUAL_OF_ORGANIZATION_MAX,
      );
      if (turn === null) {
        const refusal = message("organizationBusy", { deliveries: MANUAL_OF_ORGANIZATION_MAX });
        throw new AppError("throttled", refusal, { retryAfterS: 1 });
      }
      const attempted = attempt();
      underWay.add(attempted);
      try {
        return await attempted;
      } finally {
        underWay.delete(attempted);
        turns.giveBack(turn);
      }
    },

    /** Refuses further attempts. */
    close(): void {
      isClosed = true;
    },

    /** Settles when the attempts in progress have ended. */
    async settled(): Promise<void> {
      await Promise.allSettled(underWay);
    },
  };
}
