import { membersOf } from "../../values/json-object.ts";
import { parseJson } from "../../values/json-text.ts";
import { type ClientMetadata, readClientMetadata } from "./client-metadata.ts";

/**
 * Clients whose id is the https address of a document that describes them (Client ID Metadata Document,
 * draft-ietf-oauth-client-id-metadata-document).
 */

export const DOCUMENT_KEPT_MS = 60 * 60 * 1000;
const ID_LENGTH_MAX = 1_024;

/** How a document is requested: its media type and size limit. */
export const DOCUMENT_LIMITS = { accept: "application/json", bytesMax: 16 * 1024 };

/** Reads what an https address of the public internet serves; null if that fails. */
export type ReadDocument = (address: string) => Promise<Uint8Array | null>;

/** Whether an id is such an address: https with a path, but no user, query, fragment or dot segments. */
export function isDocumentId(clientId: string): boolean {
  if (clientId.length > ID_LENGTH_MAX || !/^https:\/\/[!-~]+$/.test(clientId)) return false;
  const url = URL.canParse(clientId) ? new URL(clientId) : null;
  // Only the canonical spelling, or the same client could have several ids.
  return (
    url !== null &&
    url.href === clientId &&
    url.pathname !== "/" &&
    url.username + url.password + url.search + url.hash === "" &&
    !/[?#@]/.test(clientId)
  );
}

/** Metadata in the document at an id; null if it does not describe a public client, or names another id. */
export function readClientDocument(clientId: string, json: Uint8Array): ClientMetadata | null {
  const value = membersOf(parseJson(json));
  const { client_id: id, token_endpoint_auth_method: method = "none", client_name: name } = value;
  if (id !== clientId || method !== "none" || typeof name !== "string") return null;
  const read = readClientMetadata(value);
  return "error" in read ? null : read;
}
