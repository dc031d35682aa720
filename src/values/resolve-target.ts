import { type AddressRange, canonicalAddress, isWithinRange } from "./address-ranges.ts";
import { isLocalName, isPublicAddress, type Target } from "./target-guard.ts";

/** The addresses to connect to, at least one; or why not to connect. */
export type Resolution =
  | { ok: true; addresses: readonly string[] }
  | { ok: false; reason: ResolutionFault };

type ResolutionFault =
  /** An address of a private network. */
  | "refused"
  | "no_such_name"
  /** It cannot be determined now whether the name exists. */
  | "unresolved";

/** Resolves and checks the addresses of a target; never throws. */
export type TargetGuard = (target: Target, timeoutMs: number) => Promise<Resolution>;

/**
 * Checks a target before every connection. The caller connects to one of the returned addresses without
 * resolving the name again, because it may resolve differently the next time.
 * @param resolve all IPv4 and IPv6 addresses of a name; none if it does not exist; throws if that cannot be
 * determined now
 * @param allowed the operator's own networks (`KANALOG_WEBHOOK_ALLOW`), exempt from refusal
 */
export function createTargetGuard(
  resolve: (name: string, timeoutMs: number) => Promise<readonly string[]>,
  allowed: readonly AddressRange[],
): TargetGuard {
  /** A single forbidden address refuses all, because which one is used is chance. */
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
    // Not even resolved: the query itself would reveal facts about the operator's network.
    if (isLocal && allowed.length === 0) return { ok: false, reason: "refused" };
    try {
      const answers = await resolve(target.host, timeoutMs);
      return answers.length === 0 ? { ok: false, reason: "no_such_name" } : judge(answers, isLocal);
    } catch {
      return { ok: false, reason: "unresolved" };
    }
  };
}

/** Canonical addresses without duplicates; IPv4 first, otherwise in the given order. */
function inOrder(answers: readonly string[]): string[] {
  const addresses = [...new Set(answers.map((answer) => canonicalAddress(answer) ?? answer))];
  const isIPv6 = (address: string) => address.includes(":");
  return [
    ...addresses.filter((address) => !isIPv6(address)),
    ...addresses.filter((address) => isIPv6(address)),
  ];
}
