import type { Network } from "../../ports/network.ts";
import { readTargetUrl, type TargetGuard } from "../../values/network/target-guard.ts";

const GET_MAX_MS = 5_000;

/**
 * Reads an https address chosen by somebody else, under the same rules as webhook receivers: public
 * addresses only, each checked before connecting, and no redirects. Null unless it answers 200 within the
 * limits.
 * @param limits.accept media types, as in the `Accept` header
 */
export function createGetGuarded(
  guard: TargetGuard,
  network: Pick<Network, "get">,
  limits: { accept: string; bytesMax: number },
): (address: string) => Promise<Uint8Array | null> {
  const { accept, bytesMax } = limits;
  return async (given) => {
    const target = readTargetUrl(given);
    if ("fault" in target) return null;
    const { host, port, authority, path } = target.value;
    const resolution = await guard(target.value, GET_MAX_MS);
    if (!resolution.ok) return null;
    for (const address of resolution.addresses) {
      const got = await network.get({
        isSecure: true,
        address,
        port,
        host,
        authority,
        path,
        headers: { accept, "user-agent": "Kanalog/1" },
        timeoutMs: GET_MAX_MS,
        bytesMax,
      });
      if ("fault" in got && got.fault === "unreachable") continue;
      return "body" in got && got.status === 200 ? got.body : null;
    }
    return null;
  };
}
