import { isObject } from "../../values/json-object.ts";
import { hostOf, isLoopbackUri, isRedirectUri, REDIRECT_URI_LENGTH_MAX } from "./redirect-uri.ts";

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
