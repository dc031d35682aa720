import { AppError } from "../../../errors.ts";
import { type Claims, takeOneOf } from "../../../values/claims.ts";
import { message } from "../../../values/messages/messages.ts";

/** Attempts that callers of the API wait for, in this process and of one organization over all workers. */
const MANUAL_MAX = 24;
const MANUAL_OF_ORGANIZATION_MAX = 6;

/**
 * Bounds the attempts that somebody waits for.
 * @param turns of organizations, which all workers share
 */
export function createManualTurns(turns: Claims) {
  const underWay = new Set<Promise<unknown>>();
  let isClosed = false;
  return {
    /**
     * @throws AppError `unavailable` where too many are under way, `throttled` where too many of the
     *   organization's are
     */
    async run<Result>(organizationId: number, attempt: () => Promise<Result>): Promise<Result> {
      if (underWay.size >= MANUAL_MAX || isClosed) {
        throw new AppError("unavailable", message("deliveriesBusy"));
      }
      const turn = takeOneOf(turns, String(organizationId), MANUAL_OF_ORGANIZATION_MAX);
      if (turn === null) {
        const said = message("organizationBusy", { deliveries: MANUAL_OF_ORGANIZATION_MAX });
        throw new AppError("throttled", said, { retryAfterS: 1 });
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

    /** Takes no more. */
    close(): void {
      isClosed = true;
    },

    /** Settles when those under way have ended. */
    async settled(): Promise<void> {
      await Promise.allSettled(underWay);
    },
  };
}
