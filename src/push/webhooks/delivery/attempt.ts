import { createHmac } from "node:crypto";
import type { Clock } from "../../../ports/clock.ts";
import type { Network, PostRequest, PostResult } from "../../../ports/network.ts";
import { ATTEMPT_MAX_MS } from "../../../ports/own-work.ts";
import { inEnglish, type Message, message, verbatim } from "../../../values/messages/messages.ts";
import { readTargetUrl, type TargetGuard } from "../../../values/network/target-guard.ts";
import type { SecretBox } from "../../../values/secret-box.ts";
import type { ClaimedDelivery } from "./deliveries.store.ts";

export interface AttemptOutcome {
  /** Epoch milliseconds. */
  startedAt: number;
  endedAt: number;
  /** HTTP status; null if there was no response. */
  status: number | null;
  /** The failure in English, as the API shows it; empty if the attempt succeeded. */
  error: string;
  durationMs: number;
}

/** Makes one attempt. @param signal aborts it; its outcome is then meaningless */
export type MakeAttempt = (
  delivery: ClaimedDelivery,
  signal: AbortSignal,
) => Promise<AttemptOutcome>;

/** Posts a delivery once to its webhook's current address, signed now; never throws. */
export function createMakeAttempt(
  guard: TargetGuard,
  network: Pick<Network, "post">,
  secrets: SecretBox,
  clock: Clock,
): MakeAttempt {
  async function attempt(
    delivery: ClaimedDelivery,
    nowMs: number,
    signal: AbortSignal,
    leftMs: () => number,
  ): Promise<{ status: number } | { fault: keyof typeof OUTCOMES }> {
    const target = readTargetUrl(delivery.url);
    if ("fault" in target) return { fault: "unreachable" };
    const signing = signingSecrets(delivery, secrets);
    if (signing === null) return { fault: "unsigned" };
    const resolution = await guard(target.value, leftMs());
    if (!resolution.ok) {
      return { fault: resolution.reason === "refused" ? "unreachable" : "unresolved" };
    }
    const content = signedContent(delivery, signing, nowMs);
    const { host, authority, port, path } = target.value;
    let result: PostResult = { fault: "unreachable" };
    // Moves on to the next address only if nothing was sent to the previous one.
    for (const address of resolution.addresses) {
      const to = { address, port, host, authority, path, timeoutMs: leftMs() };
      result = await network.post({ ...content, ...to, signal });
      if (!("fault" in result) || result.fault !== "unreachable") break;
    }
    return result;
  }

  return async (delivery, signal) => {
    const startedAt = clock.now();
    const startedMs = clock.monotonic();
    const leftMs = () => Math.max(1, ATTEMPT_MAX_MS - (clock.monotonic() - startedMs));
    const result = await attempt(delivery, startedAt, signal, leftMs);
    const ended = { startedAt, endedAt: clock.now() };
    const durationMs = Math.round(clock.monotonic() - startedMs);
    if ("fault" in result) {
      return { ...ended, durationMs, status: null, error: inEnglish(OUTCOMES[result.fault]) };
    }
    const { status } = result;
    const isSuccess = status >= 200 && status < 300;
    const error = isSuccess ? "" : inEnglish(answered(status));
    return { ...ended, durationMs, status, error };
  };
}

/** The secrets that sign a delivery, oldest first; null if the current one cannot be decrypted. */
function signingSecrets(
  { secret, formerSecret }: ClaimedDelivery,
  secrets: SecretBox,
): string[] | null {
  const current = secrets.open(secret);
  if (current === null) return null;
  // The previous secret may have been sealed with a KANALOG_SECRET that was lost.
  const former = formerSecret === null ? null : secrets.open(formerSecret);
  return former === null ? [current] : [former, current];
}

/** A delivery's body and headers, signed at an instant. */
function signedContent(
  { event, id, body: text }: ClaimedDelivery,
  signing: readonly string[],
  nowMs: number,
): Pick<PostRequest, "headers" | "body"> {
  const body = new TextEncoder().encode(text);
  const headers = {
    "content-type": "application/json; charset=utf-8",
    "user-agent": "Kanalog-Webhooks/1",
    "x-service-event": event,
    "x-service-delivery": String(id),
    "x-service-signature": signatureHeader(body, signing, nowMs),
  };
  return { headers, body };
}

/**
 * `X-Service-Signature` (specification, section 6): `t=<seconds>,v1=<hex>`, the HMAC-SHA256 of
 * `<seconds>.<raw body>` with each secret's full text as the key. Oldest secret first.
 */
export function signatureHeader(
  body: Uint8Array,
  secrets: readonly string[],
  nowMs: number,
): string {
  const seconds = Math.floor(nowMs / 1000);
  const signatures = secrets.map((secret) =>
    createHmac("sha256", secret).update(`${seconds}.`).update(body).digest("hex"),
  );
  return [`t=${seconds}`, ...signatures.map((signature) => `v1=${signature}`)].join(",");
}

/**
 * Outcomes without an HTTP status, as the webhook's owner sees them. A refused address is reported as
 * unreachable, so that the private network cannot be explored through it.
 */
export const OUTCOMES = {
  timeout: message("receiverTimeout"),
  unreachable: message("receiverUnreachable"),
  certificate: message("receiverCertificate"),
  broken: message("receiverBroken"),
  unresolved: message("receiverUnresolved"),
  unsigned: message("attemptUnsigned"),
};

/** The outcome of an answer with a status other than 2xx. */
export function answered(status: number): Message {
  return message("receiverAnswered", { status });
}

/**
 * Message of an attempt's stored outcome. Outcomes are stored as English text, which the API shows
 * unchanged; pages in other languages translate the message. Text that is no message of this version is
 * kept.
 */
export function outcomeOf(stored: string): Message {
  return BY_TEXT.get(stored) ?? verbatim(stored);
}

/** Every status of three digits. */
const STATUSES = Array.from({ length: 900 }, (_, at) => 100 + at);

const BY_TEXT: ReadonlyMap<string, Message> = new Map(
  [...Object.values(OUTCOMES), ...STATUSES.map(answered)].map((outcome) => [
    inEnglish(outcome),
    outcome,
  ]),
);
