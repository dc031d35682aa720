import { type AddressRange, canonicalAddress, isWithinRange } from "./address-ranges.ts";
import { isLocalName, isPublicAddress, type Target } from "./target-guard.ts";

/** The addresses to connect to, at least one; or why there is to be no connection. */
export type Resolution =
  | { ok: true; addresses: readonly string[] }
  | { ok: false; reason: ResolutionFault };

type ResolutionFault =
  /** An address of a private network. */
  | "refused"
  | "no_such_name"
  /** Whether there is such a name cannot be told at present. */
  | "unresolved";

/** Finds and judges the addresses of a target; never throws. */
export type TargetGuard = (target: Target, timeoutMs: number) => Promise<Resolution>;

/**
 * The guard that stands before every connection. Whoever connects takes
 * one of its addresses and asks no name server again: a name may answer differently the next time.
 * @param resolve all IPv4 and IPv6 addresses of a name; none where it does not exist; throws where that
 *   cannot be told at present
 * @param allowed the operator's own networks (`KANALOG_WEBHOOK_ALLOW`), exempt from the refusal
 */
export function createTargetGuard(
  resolve: (name: string, timeoutMs: number) => Promise<readonly string[]>,
  allowed: readonly AddressRange[],
): TargetGuard {
  /** One address that will not do refuses them all: which one is connected to is chance. */
  const judge = (answers: readonly string[], isLocal: boolean): Resolution => {
    const isAcceptable = (address: string) =>
      isWithinRange(address, allowed) || (!isLocal && isPublicAddress(address));
    return answers.every(isAcceptable)
      ? { ok: true, addresses: inOrder(answers) }
      : { ok: false, reason: "refused" };
  };

  return async (target, timeoutMs) => {
    if (target.isAddress) return judge([target.host], false);
    const isLocal = isLocalName(target.host);
    // Not even looked up: the question itself would tell of the operator's network.
    if (isLocal && allowed.length === 0) return { ok: false, reason: "refused" };
    try {
      const answers = await resolve(target.host, timeoutMs);
      return answers.length === 0 ? { ok: false, reason: "no_such_name" } : judge(answers, isLocal);
    } catch {
      return { ok: false, reason: "unresolved" };
    }
  };
}

/** Each once, in its shortest spelling; IPv4 first, otherwise in the order of the answer. */
function inOrder(answers: readonly string[]): string[] {
  const addresses = [...new Set(answers.map((answer) => canonicalAddress(answer) ?? answer))];
  const isIPv6 = (address: string) => address.includes(":");
  return [
    ...addresses.filter((address) => !isIPv6(address)),
    ...addresses.filter((address) => isIPv6(address)),
  ];
}
