import { madeOnce } from "../../../values/made-once.ts";
import { type PackedBytes, packedBytes } from "../../../values/packed-bytes.ts";
import { WRITTEN_ADDRESS } from "./guide-html.ts";

/**
 * Serves the OpenAPI document with the reader's own address in its snippets and examples. The document is
 * generated once, and its bytes are cached for the latest address: usually there is only one, unless
 * neither a setting nor the listener determines it.
 * @param make creates the document with the placeholder address; its base path comes from a setting only
 * @returns the bytes for an address without a trailing slash
 */
export function servedDocument(
  make: (path: string) => Promise<string>,
): (address: string) => Promise<PackedBytes> {
  const document = madeOnce(make);
  let latest: { address: string; bytes: PackedBytes } | null = null;
  return async (address) => {
    if (latest?.address === address) return latest.bytes;
    const text = await document(new URL(address).pathname);
    const bytes = packedBytes(new TextEncoder().encode(text.replaceAll(WRITTEN_ADDRESS, address)));
    latest = { address, bytes };
    return bytes;
  };
}
