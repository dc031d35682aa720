import type { BotFault } from "./bot-fault.ts";
import type { BotTools } from "./bot-messenger.ts";

/** Calls a messenger, and again after a fault that may pass by itself. */
export type TryAgain = <Answer extends object>(call: () => Promise<Answer>) => Promise<Answer>;

/** The first wait, which doubles with each further one of a call, up to `WAIT_MAX_MS`. */
const WAIT_FIRST_MS = 1_000;
const WAIT_MAX_MS = 30_000;
/** Sum of a run's waits. A fault that lasts longer ends the run, and the next one waits for it. */
const WAITED_MAX_MS = 60_000;

/** Faults without an error status that may pass: no answer, or not all of one. */
const PASSING: readonly string[] = [
  ...["sourceUnresolved", "sourceUnreachable", "sourceTimeout", "sourceBroken"],
  "botAnswerWrong",
];
const TOO_MANY = 429;
const SERVER_ERROR = 500;

/** For single calls, whose caller waits for the answer. */
export const ONCE: TryAgain = (call) => call();

/** For the calls of a run that may wait. */
export function createTryAgain({ sleep, signal }: Pick<BotTools, "sleep" | "signal">): TryAgain {
  let waitedMs = 0;
  return async (call) => {
    for (let waitMs = WAIT_FIRST_MS; ; waitMs = Math.min(2 * waitMs, WAIT_MAX_MS)) {
      const answer = await call();
      if (!isPassing(answer)) return answer;
      const pauseMs = Math.max(answer.retryAfterMs ?? waitMs, WAIT_FIRST_MS);
      if (waitedMs + pauseMs > WAITED_MAX_MS) return answer;
      waitedMs += pauseMs;
      await sleep(pauseMs);
      if (signal.aborted) return answer;
    }
  };
}

function isPassing(answer: object): answer is BotFault {
  if (!("failure" in answer)) return false;
  const { status, failure } = answer as BotFault;
  const isRefused = status !== null && (status >= SERVER_ERROR || status === TOO_MANY);
  return isRefused || PASSING.includes(failure.code);
}
