import { AppError } from "../../errors.ts";
import { message } from "../../values/messages/messages.ts";

/**
 * Most requests of one kind that may wait for the hashing thread: some 15 seconds' worth, which browsers
 * wait. Enough for one of each of 200 networks, so that these cannot keep another one out.
 */
const WAITING_MAX = 250;
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
  refuse(refusal: AppError): void;
}

export type HashingQueue = ReturnType<typeof createHashingQueue>;

/** The latest request of the network that has most waiting, if that has more than one. */
function lastOfGreediest(all: readonly Waiting[]): Waiting | undefined {
  const byNetwork = [...Map.groupBy(all, ({ network }) => network).values()];
  const greediest = byNetwork.sort((one, other) => other.length - one.length)[0];
  return greediest !== undefined && greediest.length > 1 ? greediest.at(-1) : undefined;
}

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
     * @throws AppError `throttled` if too many of the network are waiting, or, where too many of the kind
     * are, if the network has most of them and another one needs a place; `unavailable` if each has one
     */
    async run<Result>(
      kind: HashingKind,
      network: string,
      work: () => Promise<Result>,
    ): Promise<Result> {
      let others = waiting.get(kind) ?? [];
      if (others.filter((other) => other.network === network).length >= WAITING_OF_NETWORK_MAX) {
        throw new AppError("throttled", message("networkWaiting"), RETRY);
      }
      if (others.length >= WAITING_MAX) {
        const displaced = lastOfGreediest(others);
        if (displaced === undefined) {
          throw new AppError("unavailable", message("passwordsWaiting"), RETRY);
        }
        others = others.filter((other) => other !== displaced);
        displaced.refuse(new AppError("throttled", message("networkWaiting"), RETRY));
      }
      const { promise: turn, resolve: begin, reject: refuse } = Promise.withResolvers<void>();
      waiting.set(kind, [...others, { network, begin, refuse }]);
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
