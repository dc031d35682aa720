import { hash } from "node:crypto";
import type { Transaction } from "../../db/database.ts";
import type { Calls } from "../../db/operations.ts";
import { transaction } from "../../db/transaction.ts";
import { AppError } from "../../errors.ts";
import { message } from "../../values/messages/messages.ts";
import { DAY_MS } from "../../values/moscow-time.ts";
import type { SecretBox } from "../../values/secret-box.ts";
import type { RequestClaim, RequestName } from "./operator-requests.store.ts";
import {
  deleteRequest,
  selectRequest,
  updateRequestAnswered,
  updateRequestDone,
  upsertRequest,
} from "./operator-requests.store.ts";

/**
 * Requests with an `Idempotency-Key`: repeated within a day, one is carried out once, and its answer is sent
 * again. Whether it was carried out is written in the transaction of its change, so a process that dies
 * between change and answer leaves no doubt.
 */

export const REQUESTS_KEPT_DAYS = 1;
/** After this long without an answer, the process that carried a request out has died. */
const ATTEMPT_MAX_MS = 60_000;

interface StoredAnswer {
  status: number;
  /** Sealed. */
  body: Uint8Array;
}

/**
 * Begins a request.
 * @param request hash of what was sent
 * @returns when it began, if it is to be carried out now; else the answer that was sent
 * @throws AppError `conflict` if the key was sent with another request; `in_progress` while the first is;
 * `answer_lost` if it was carried out without an answer
 */
const claimRequest = transaction(
  "operator-request",
  async (
    tx,
    clock,
    { name, request }: { name: RequestName; request: string },
  ): Promise<Pick<RequestClaim, "startedAt"> | StoredAnswer> => {
    const now = clock.now();
    const found = await selectRequest(tx, name);
    if (found !== undefined && now - found.startedAt < REQUESTS_KEPT_DAYS * DAY_MS) {
      if (found.request !== request)
        throw new AppError("conflict", message("idempotencyKeyOfOther"));
      if (found.status !== null && found.body !== null) {
        return { status: found.status, body: found.body };
      }
      if (found.isDone) throw answerLost();
      if (now - found.startedAt < ATTEMPT_MAX_MS) throw inProgress();
    }
    await upsertRequest(tx, { ...name, request, startedAt: now });
    return { startedAt: now };
  },
);

const keepAnswer = transaction(
  "operator-request",
  (tx, _clock, { claim, status, body }: { claim: RequestClaim } & StoredAnswer) =>
    updateRequestAnswered(tx, { ...claim, status, body: Buffer.from(body) }),
);

/** Forgets a request that was refused, so that it can be sent again, corrected. */
const dropRequest = transaction("operator-request", (tx, _clock, claim: RequestClaim) =>
  deleteRequest(tx, claim),
);

/**
 * Marks a request done in the transaction of its change.
 * @throws AppError `in_progress`, so that nothing changes, if it was slow and has been begun again
 */
export async function markDone(tx: Transaction, claim: RequestClaim): Promise<void> {
  if (!(await updateRequestDone(tx, claim))) throw inProgress();
}

export type IdempotentRequests = ReturnType<typeof createIdempotentRequests>;

export function createIdempotentRequests(
  steps: Calls<typeof requestSteps>,
  secrets: Pick<SecretBox, "seal" | "open">,
) {
  return {
    name: (keyId: number, idempotencyKey: string): RequestName => ({
      keyId,
      idempotencyKey: sha256(idempotencyKey),
    }),

    /** The claim of a request that is to be carried out now, or the answer that it got before. */
    async begin(
      name: RequestName,
      sent: string,
    ): Promise<RequestClaim | { status: number; body: string }> {
      const begun = await steps.claimRequest({ name, request: sha256(sent) });
      if ("startedAt" in begun) return { ...name, ...begun };
      const body = secrets.open(begun.body);
      if (body === null) throw answerLost();
      return { status: begun.status, body };
    },

    drop: steps.dropRequest,
    keep: (claim: RequestClaim, status: number, body: string): Promise<void> =>
      steps.keepAnswer({ claim, status, body: secrets.seal(body) }),
  };
}

function sha256(text: string): string {
  return hash("sha256", text, "base64");
}

function inProgress(): AppError {
  return new AppError("in_progress", message("idempotencyInProgress"));
}

function answerLost(): AppError {
  return new AppError("answer_lost", message("idempotencyAnswerLost"));
}

export const requestSteps = { claimRequest, keepAnswer, dropRequest };
