import type { Caller } from "../../customers/keys/keys.ts";
import type { AnsweredRequest } from "../../customers/limits/request-log.ts";
import type { AppError } from "../../errors.ts";
import type { NoteRequest, NoteRequests } from "../../upkeep/metrics/note-request.ts";
import { runFor } from "../../values/tenant.ts";
import { type Admitted, admit, admitAgain, type Gate } from "../../verbs/admission.ts";
import {
  type AnswerContext,
  commonHeaders,
  errorAnswer,
  errorResponse,
  type Headers,
} from "./answers.ts";
import { type BaseAddress, REQUEST_ID } from "./requests/base-address.ts";
import type { Bodies } from "./requests/body.ts";

/** Statuses whose reasons the request log keeps: callers know what was wrong with their own requests. */
const REASON_FROM = 429;

export interface KeyedContext extends AnswerContext, Gate {
  baseAddress: BaseAddress;
  noteRequests: NoteRequests;
  bodies: Bodies;
  /**
   * Records a request with a valid key, in its owner's request log and in the hourly counters for staff.
   */
  noteAnswer(keyId: number, answered: AnsweredRequest): void;
  /** Everything read before the next `await` sees one snapshot, taken after this call. */
  tickSnapshot(): Promise<void>;
}

export interface Keyed {
  admitted: Admitted;
  headers: Headers;
  nowMs: number;
}

/** An answer, and what the request log records of it. */
export interface Answered {
  response: Response;
  note: NoteRequest;
  /** The address shown in the key owner's request log. */
  url: string;
  /** For a tool call the status of its outcome, even if the HTTP answer is a 200. */
  status: number;
  units: number;
  /** Why it was not answered; null if it was. */
  error: AppError | null;
  /** Milliseconds spent waiting for the plan's rate limit: such a request is not a slow one. */
  waitedMs: number;
}

/**
 * Answers a request that carries a key, and records it. Its work is charged to the caller's organization.
 * @param answer continues once the key was found valid; errors it throws are answered too
 * @param withoutOutcome gives what is recorded if no method was run
 */
export async function answerKeyed(
  request: Request,
  context: KeyedContext,
  answer: (keyed: Keyed) => Promise<Answered>,
  withoutOutcome: (response: Response) => Answered,
): Promise<Response> {
  const { ports } = context;
  await context.tickSnapshot();
  const startedMs = ports.clock.monotonic();
  const nowMs = ports.clock.now();
  const headers = commonHeaders(request, context);
  let caller: Caller | null = null;
  let answered: Answered;
  try {
    const authorization = request.headers.get("authorization");
    const judged = admit(authorization, nowMs, context);
    const admission = judged.ok ? judged : await admitAgain(judged, authorization, nowMs, context);
    if (admission.ok) {
      caller = admission.caller;
      const budget = context.services.limits.timeBudget(caller, "programs");
      answered = await runFor(caller.organization.id, budget, () =>
        answer({ admitted: admission, headers, nowMs }),
      );
    } else {
      answered = withoutOutcome(errorResponse(admission.error, headers));
    }
  } catch (error) {
    answered = withoutOutcome(errorAnswer(error, headers, ports));
  }
  const { response, note, url, status, units, error, waitedMs } = answered;
  note(status, startedMs + waitedMs, headers[REQUEST_ID] ?? "", caller);
  if (caller !== null) {
    const durationMs = ports.clock.monotonic() - startedMs - waitedMs;
    const reason = error !== null && status >= REASON_FROM ? error.publicMessage : null;
    const logged = { at: nowMs, verb: request.method, url, status, durationMs, units, reason };
    context.noteAnswer(caller.key.id, logged);
  }
  return response;
}
