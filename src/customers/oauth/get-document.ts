import type { Network } from "../../ports/network.ts";
import type { TargetGuard } from "../../values/resolve-target.ts";
import { createGetGuarded } from "./get-guarded.ts";

const WANTED = { accept: "application/json", bytesMax: 16 * 1024 };

/** Reads the text of a client's document, at the address that is its id. Null where there is none. */
export function createGetDocument(
  guard: TargetGuard,
  network: Pick<Network, "get">,
): (address: string) => Promise<string | null> {
  const get = createGetGuarded(guard, network, WANTED);
  return async (address) => {
    const body = await get(address);
    return body === null ? null : decode(body);
  };
}

function decode(body: Uint8Array): string | null {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(body);
  } catch {
    return null;
  }
}
