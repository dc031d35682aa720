import { membersOf } from "../../../values/json-object.ts";
import { message } from "../../../values/messages/messages.ts";
import { type BotFault, refused, waitOf } from "../bot-fault.ts";
import type { BotAccess } from "../bot-messenger.ts";
import type { CallApi } from "../call-api.ts";
import { ONCE } from "../try-again.ts";

const ANSWER_MS = 30_000;
/** At most twenty requests a second (sources, section 4). */
const BETWEEN_MS = 50;

const OK = 200;
const UNAUTHORIZED = 401;

export interface Pace {
  monotonic(): number;
  sleep(durationMs: number): Promise<void>;
}

interface MaxRequest {
  method?: "POST" | "DELETE";
  body?: string;
}

/** Calls MAX's Bot API, with at least 50 ms between the starts of two calls. */
export function createMaxCall(
  { api, token }: Pick<BotAccess, "api" | "token">,
  ask: CallApi,
  signal: AbortSignal,
  clock: Pace,
  tryAgain = ONCE,
) {
  let nextAtMs = 0;

  async function paced(): Promise<void> {
    const waitMs = nextAtMs - clock.monotonic();
    nextAtMs = Math.max(nextAtMs, clock.monotonic()) + BETWEEN_MS;
    if (waitMs > 0) await clock.sleep(waitMs);
  }

  return <Result extends object>(
    path: string,
    read: (json: unknown) => Result | null,
    request: MaxRequest = {},
  ): Promise<Result | BotFault> => tryAgain(() => call(path, read, request));

  async function call<Result>(
    path: string,
    read: (json: unknown) => Result | null,
    request: MaxRequest,
  ): Promise<Result | BotFault> {
    await paced();
    const answer = await ask({
      ...request,
      url: `${api}${path}`,
      headers: { authorization: token },
      timeoutMs: ANSWER_MS,
      signal,
    });
    if ("failure" in answer) return { ...answer, retryAfterMs: null, status: null };
    const { status, json, retryAfterMs } = answer;
    if (status !== OK) {
      const { retry_after: wait, message: description } = membersOf(json);
      const failure =
        status === UNAUTHORIZED ? message("botTokenWrong") : refused(status, description);
      return { failure, retryAfterMs: retryAfterMs ?? waitOf(wait), status };
    }
    // A truncated response, or one in an unknown form, proves nothing about the data.
    const result = read(json);
    if (result !== null) return result;
    return { failure: message("botAnswerWrong"), retryAfterMs: null, status };
  }
}
