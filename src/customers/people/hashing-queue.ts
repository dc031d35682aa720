import { AppError } from "../../errors.ts";
import { message } from "../../values/messages/messages.ts";

/** Most requests of one kind that may wait for the hashing thread: a few seconds' worth. */
const WAITING_MAX = 20;
/** Most of these from one network. */
const WAITING_OF_NETWORK_MAX = 5;
const RETRY = { retryAfterS: 5 };

/**
 * Kinds of requests, which take turns. Sign-ins from a known network are a kind of their own, so that
 * guesses cannot crowd them out.
 */
export type HashingKind =
  | "sign-in"
  | "known-sign-in"
  | "choose-password"
  | "change-password"
  | "set-up"
  | "sign-up";

interface Waiting {
  network: string;
  begin(): void;
}

export type HashingQueue = ReturnType<typeof createHashingQueue>;

/** Runs hashing work one at a time. Kinds take turns, so that no page blocks another. */
export function createHashingQueue() {
  /** Waiting work by kind; the first kind is next. */
  const waiting = new Map<HashingKind, Waiting[]>();
  let isBusy = false;

  function beginNext(): void {
    const [next] = waiting;
    if (isBusy || next === undefined) return;
    const [kind, [first, ...others]] = next;
    waiting.delete(kind);
    if (others.length > 0) waiting.set(kind, others);
    isBusy = true;
    first?.begin();
  }

  return {
    /**
     * @param network where the request comes from
     * @throws AppError `throttled` if too many of the network are waiting, `unavailable` if too many of the
     * kind are
     */
    async run<Result>(
      kind: HashingKind,
      network: string,
      work: () => Promise<Result>,
    ): Promise<Result> {
      const others = waiting.get(kind) ?? [];
      if (others.filter((other) => other.network === network).length >= WAITING_OF_NETWORK_MAX) {
        throw new AppError("throttled", message("networkWaiting"), RETRY);
      }
      if (others.length >= WAITING_MAX) {
        throw new AppError("unavailable", message("passwordsWaiting"), RETRY);
      }
      const { promise: turn, resolve: begin } = Promise.withResolvers<void>();
      waiting.set(kind, [...others, { network, begin }]);
      beginNext();
      await turn;
      try {
        return await work();
      } finally {
        isBusy = false;
        beginNext();
      }
    },
  };
}
