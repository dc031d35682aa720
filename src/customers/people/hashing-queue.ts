import { AppError } from "../../errors.ts";
import { message } from "../../values/messages/messages.ts";

/** Requests of one kind that may wait for the thread that hashes: some seconds' worth. */
const WAITING_MAX = 20;
/** How many of them may come from one network. */
const WAITING_OF_NETWORK_MAX = 5;
const RETRY = { retryAfterS: 5 };

/** Kinds take turns. Sign-ins from a known network are one of their own, which guesses cannot fill. */
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

/** Work that hashes, one at a time: kinds take turns, so that no page holds up another. */
export function createHashingQueue() {
  /** Waiting work by kind; the first kind's turn is next. */
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
     * @throws AppError `throttled` where too many of the network wait, `unavailable` where too many of the kind do
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
