import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import { isObject, membersOf, parseJson } from "../../values/json-text.ts";

/**
 * Addresses that a person may be redirected to (RFC 8252, section 7; OAuth 2.1, section 2.3): https, or
 * http on the person's own machine.
 */

const REDIRECT_URI_LENGTH_MAX = 2_048;

/** Visible ASCII that a header can hold, without characters that `new URL` would reinterpret. */
const PLAIN = /^https?:\/\/[^/?#@\\]+(?:[/?][^\\#]*)?$/;

/** Loopback addresses in these spellings only: `new URL` also takes other notations of IP addresses. */
const LOOPBACK = /^(http:\/\/(?:localhost|127\.0\.0\.1|\[::1\]))(?::\d{1,5})?(?=[/?]|$)/;

function isRedirectUri(text: string): boolean {
  return (
    text.length <= REDIRECT_URI_LENGTH_MAX &&
    /^[!-~]+$/.test(text) &&
    PLAIN.test(text) &&
    URL.canParse(text) &&
    (text.startsWith("https:") || isLoopbackUri(text))
  );
}

export function isLoopbackUri(text: string): boolean {
  return LOOPBACK.test(text);
}

/**
 * Whether an address is one of the client's, character for character. Only the port of a loopback address
 * may differ, because a program uses whichever is free (RFC 8252, section 7.3).
 */
export function isOneOf(given: string, registered: readonly string[]): boolean {
  if (!isRedirectUri(given)) return false;
  const wanted = withoutLoopbackPort(given);
  return registered.some((one) => withoutLoopbackPort(one) === wanted);
}

function withoutLoopbackPort(text: string): string {
  return text.replace(LOOPBACK, "$1");
}

/** The host shown to people, such as `claude.ai`. */
export function hostOf(redirectUri: string): string {
  return new URL(redirectUri).host;
}

/** The parts of a client's self-description that matter here. */
export interface ClientMetadata {
  name: string;
  redirectUris: readonly string[];
}

/** Codes of RFC 7591, section 3.2.2, with a sentence for the client's author. */
export interface MetadataFault {
  error: "invalid_redirect_uri" | "invalid_client_metadata";
  description: string;
}

const REDIRECT_URIS_MAX = 10;
const NAME_LENGTH_MAX = 100;

/**
 * Parses a public client's metadata: sent to register it (RFC 7591), or found at its id. Optional fields
 * that are not used here are ignored; a client that asks for a secret is registered without one, as the
 * response tells it.
 */
export function readClientMetadata(value: unknown): ClientMetadata | MetadataFault {
  if (!isObject(value)) return wrong("The metadata is not a JSON object.");
  const uris = value["redirect_uris"];
  if (!Array.isArray(uris) || uris.length === 0) {
    return wrongUri("redirect_uris is not a list of at least one address.");
  }
  if (uris.length > REDIRECT_URIS_MAX) {
    return wrongUri(`redirect_uris has more than ${REDIRECT_URIS_MAX} addresses.`);
  }
  const isWeb = value["application_type"] === "web";
  for (const uri of uris) {
    if (typeof uri !== "string" || !isRedirectUri(uri)) return wrongUri(WRONG_URI);
    // Assistants omit the type; a loopback address then means a native application.
    if (isWeb && isLoopbackUri(uri)) {
      return wrongUri("application_type web takes no loopback address in redirect_uris.");
    }
  }
  const grants = value["grant_types"];
  if (grants !== undefined && !(Array.isArray(grants) && grants.includes("authorization_code"))) {
    return wrong("grant_types does not name authorization_code.");
  }
  const types = value["response_types"];
  if (types !== undefined && !(Array.isArray(types) && types.includes("code"))) {
    return wrong("response_types does not name code.");
  }
  const redirectUris = uris as string[];
  const name = nameOf(value["client_name"]);
  return { name: name === "" ? hostOf(redirectUris[0] as string) : name, redirectUris };
}

const WRONG_URI =
  "redirect_uris takes https addresses, and http ones of localhost, 127.0.0.1 and [::1], without user, " +
  `fragment and blanks, of at most ${REDIRECT_URI_LENGTH_MAX} characters.`;

/** The name on one line, without characters that are invisible or change the writing direction. */
function nameOf(given: unknown): string {
  if (typeof given !== "string") return "";
  const plain = given.slice(0, 4 * NAME_LENGTH_MAX).replace(/\p{Cc}+|\p{Z}+/gu, " ");
  const seen = plain.replace(/\p{Cf}|\p{Cs}|\p{Co}|\p{Cn}/gu, "").trim();
  return [...seen].slice(0, NAME_LENGTH_MAX).join("").trim();
}

function wrong(description: string): MetadataFault {
  return { error: "invalid_client_metadata", description };
}

function wrongUri(description: string): MetadataFault {
  return { error: "invalid_redirect_uri", description };
}

/**
 * Clients whose id is the https address of a document that describes them (Client ID Metadata Document,
 * draft-ietf-oauth-client-id-metadata-document).
 */

const ID_LENGTH_MAX = 1_024;

/** How a document is requested: its media type and size limit. */
export const DOCUMENT_LIMITS = { accept: "application/json", bytesMax: 16 * 1024 };

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
  const methods = value["token_endpoint_auth_methods_supported"];
  const isPublic = method === "none" || (Array.isArray(methods) && methods.includes("none"));
  if (id !== clientId || !isPublic || typeof name !== "string") return null;
  const read = readClientMetadata(value);
  return "error" in read ? null : read;
}

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
