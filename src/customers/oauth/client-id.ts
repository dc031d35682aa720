import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import { parseJson } from "../../values/json-text.ts";
import type { ClientMetadata, MetadataFault } from "./client-metadata.ts";

/**
 * Ids of registered clients. An id is the client's own description with a signature, so nothing needs to be
 * stored: strangers can register as many clients as they like, and an id stays valid as long as the file.
 */

/** Most bytes of a description, since an id is part of addresses. */
const DESCRIPTION_BYTES_MAX = 2_500;
const FORM = /^([\w-]+)\.([\w-]{43})$/;

/** @param secret of the database file */
export function clientIdOf(
  secret: Uint8Array,
  { name, redirectUris }: ClientMetadata,
): string | MetadataFault {
  const description = Buffer.from(JSON.stringify([name, ...redirectUris]));
  if (description.length > DESCRIPTION_BYTES_MAX) {
    const text = `The name and the redirect_uris are longer than ${DESCRIPTION_BYTES_MAX} bytes.`;
    return { error: "invalid_client_metadata", description: text };
  }
  const text = description.toString("base64url");
  return `${text}.${signatureOf(secret, text).toString("base64url")}`;
}

/** The client that an id describes; null if this appliance did not sign it. */
export function readClientId(secret: Uint8Array, clientId: string): ClientMetadata | null {
  const [, text, signature] = FORM.exec(clientId) ?? [];
  if (text === undefined || signature === undefined) return null;
  const given = Buffer.from(signature, "base64url");
  if (!timingSafeEqual(given, signatureOf(secret, text))) return null;
  const [name, ...redirectUris] = parseJson(Buffer.from(text, "base64url")) as [
    string,
    ...string[],
  ];
  return { name, redirectUris };
}

export function clientHash(clientId: string): Buffer {
  return createHash("sha256").update(clientId).digest();
}

function signatureOf(secret: Uint8Array, text: string): Buffer {
  return createHmac("sha256", secret).update(`kanalog oauth client ${text}`).digest();
}
