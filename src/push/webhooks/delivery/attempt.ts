import type { Clock } from "../../../ports/clock.ts";
import type { Network, PostRequest, PostResult } from "../../../ports/network.ts";
import { inEnglish } from "../../../values/messages/messages.ts";
import type { TargetGuard } from "../../../values/resolve-target.ts";
import type { SecretBox } from "../../../values/secret-box.ts";
import { readTargetUrl, type Target } from "../../../values/target-guard.ts";
import type { ClaimedDelivery } from "./claims.store.ts";
import { answered, OUTCOMES } from "./outcome.ts";
import { signatureHeader } from "./signature.ts";

/** Time limit of an attempt, from resolving the name to the end of the response head. */
const ATTEMPT_MAX_MS = 10_000;

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
  return async (delivery, signal) => {
    const startedAt = clock.now();
    const startedMs = clock.monotonic();
    const result = await attempt(delivery, startedAt, signal, () =>
      Math.max(1, ATTEMPT_MAX_MS - (clock.monotonic() - startedMs)),
    );
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

  async function attempt(
    delivery: ClaimedDelivery,
    nowMs: number,
    signal: AbortSignal,
    leftMs: () => number,
  ): Promise<{ status: number } | { fault: keyof typeof OUTCOMES }> {
    const target = readTargetUrl(delivery.url);
    if ("fault" in target) return { fault: "unreachable" };
    const current = secrets.open(delivery.secret);
    if (current === null) return { fault: "unsigned" };
    // The previous secret may have been sealed with a KANALOG_SECRET that was lost.
    const former = delivery.formerSecret === null ? null : secrets.open(delivery.formerSecret);
    const signing = former === null ? [current] : [former, current];
    const resolution = await guard(target.value, leftMs());
    if (!resolution.ok) {
      return { fault: resolution.reason === "refused" ? "unreachable" : "unresolved" };
    }
    const body = new TextEncoder().encode(delivery.body);
    const headers = {
      "content-type": "application/json; charset=utf-8",
      "user-agent": "Kanalog-Webhooks/1",
      "x-service-event": delivery.event,
      "x-service-delivery": String(delivery.id),
      "x-service-signature": signatureHeader(body, signing, nowMs),
    };
    return postToFirst(resolution.addresses, target.value, { headers, body, signal }, leftMs);
  }

  /** Tries addresses in turn, moving on only if nothing was sent to the previous one. */
  async function postToFirst(
    addresses: readonly string[],
    { host, authority, port, path }: Target,
    content: Pick<PostRequest, "headers" | "body"> & { signal: AbortSignal },
    leftMs: () => number,
  ): Promise<PostResult> {
    let result: PostResult = { fault: "unreachable" };
    for (const address of addresses) {
      const timeoutMs = leftMs();
      result = await network.post({ ...content, address, port, host, authority, path, timeoutMs });
      if (!("fault" in result) || result.fault !== "unreachable") break;
    }
    return result;
  }
}
