import { shortened } from "../../values/fields.ts";
import { isObject } from "../../values/json-text.ts";
import { invalidParams, METHOD_NOT_FOUND, type RpcFault, type RpcRequest } from "./json-rpc.ts";
import { plainText } from "./plain-text.ts";
import { META, MODERN_VERSION, SUPPORTED } from "./server-info.ts";

/** Errors of the protocol itself, before any tool is looked up. */

const UNSUPPORTED_VERSION = -32022;
const HEADER_MISMATCH = -32020;

/** The parameter that `Mcp-Name` repeats, by method. */
const NAMED: ReadonlyMap<string, string> = new Map([
  ["tools/call", "name"],
  ["prompts/get", "name"],
  ["resources/read", "uri"],
]);

/** What is wrong with a modern request's envelope, or null. */
export function modernFault(
  { method, params }: RpcRequest,
  headerOf: (name: string) => string | null,
): RpcFault | null {
  const meta = params?.["_meta"];
  const version = isObject(meta) ? meta[`${META}protocolVersion`] : undefined;
  if (!isObject(meta) || typeof version !== "string") {
    return invalidParams(`\`params._meta\` must have ${META}protocolVersion.`, 400);
  }
  if (!isObject(meta[`${META}clientCapabilities`])) {
    return invalidParams(`\`params._meta\` must have ${META}clientCapabilities.`, 400);
  }
  if (version !== MODERN_VERSION) return mismatch("MCP-Protocol-Version", version);
  if (headerOf("mcp-method") !== method) return mismatch("Mcp-Method", method);
  const named = NAMED.get(method);
  if (named === undefined) return null;
  const name = params?.[named];
  const header = headerOf("mcp-name");
  return header !== null && decodeHeader(header) === name ? null : mismatch("Mcp-Name", name);
}

export function unsupportedVersion(requested: string): RpcFault {
  return {
    code: UNSUPPORTED_VERSION,
    message: "This protocol version is not supported.",
    status: 400,
    data: { supported: SUPPORTED, requested: plainText(shortened(requested)) },
  };
}

export function unknownMethod(method: string, status: number): RpcFault {
  return { code: METHOD_NOT_FOUND, message: `There is no method ${quoted(method)}.`, status };
}

function mismatch(header: string, expected: unknown): RpcFault {
  return {
    code: HEADER_MISMATCH,
    message: `The header ${header} must be what the body says: ${quoted(expected)}.`,
    status: 400,
  };
}

/** Text of a header, which may be encoded as `=?base64?…?=`. */
function decodeHeader(value: string): string {
  const encoded = /^=\?base64\?([A-Za-z0-9+/]*=*)\?=$/.exec(value)?.[1];
  return encoded === undefined ? value : Buffer.from(encoded, "base64").toString("utf8");
}

const QUOTED_MAX = 100;

/** Quotes input from a caller, which may have any type and size. */
export function quoted(value: unknown): string {
  return typeof value === "string"
    ? JSON.stringify(plainText(value.slice(0, QUOTED_MAX)))
    : "(no text)";
}
