import type { PostText } from "../../ports/download.ts";
import { isObject } from "../../values/json-text.ts";
import { faultText, META, type RequestId, SERVER_ERROR } from "./json-rpc.ts";

/** Runs the bridge over this process's standard input and output. @param post answers a message */
export function runStdioBridge(post: PostText): Promise<void> {
  const write = (line: string): void => {
    process.stdout.write(`${line}\n`);
  };
  return runBridge(linesOf(process.stdin), post, write);
}

/** Splits at line feeds only: JSON text may contain other line separators unescaped. */
async function* linesOf(input: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of input) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
  }
  yield rest + decoder.decode();
}

/**
 * Forwards JSON-RPC lines to the appliance and its answers back, for assistants that only speak stdio.
 * Lines are posted as they come, without waiting for earlier ones; settles when they end and all are
 * answered.
 * @param write writes one line
 */
async function runBridge(
  lines: AsyncIterable<string>,
  post: PostText,
  write: (line: string) => void,
): Promise<void> {
  const underWay = new Set<Promise<void>>();
  for await (const line of lines) {
    if (line.trim() === "") continue;
    const forwarded = forward(line, post, write).finally(() => underWay.delete(forwarded));
    underWay.add(forwarded);
  }
  await Promise.all(underWay);
}

async function forward(line: string, post: PostText, write: (line: string) => void): Promise<void> {
  const message = parse(line);
  const id = idOf(message);
  try {
    const answer = await post(headersOf(message), line);
    const value = parse(answer.body);
    // Parsed and serialized again, so that it fits on one line.
    if (isObject(value) && "jsonrpc" in value) write(JSON.stringify(value));
    else if (id !== undefined) write(failure(id, answer.status, value));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const text = `The appliance cannot be reached: ${reason}`;
    if (id !== undefined) write(faultText(id, { code: SERVER_ERROR, message: text, status: 0 }));
  }
}

/** Headers that a client of the modern era sends over HTTP; the legacy era has none. */
function headersOf(message: unknown): Record<string, string> {
  if (!isObject(message) || !isObject(message["params"])) return {};
  const { _meta: meta, uri, name = uri } = message["params"];
  const version = isObject(meta) ? meta[`${META}protocolVersion`] : undefined;
  if (typeof version !== "string") return {};
  return {
    "mcp-protocol-version": encode(version),
    "mcp-method": encode(String(message["method"])),
    ...(typeof name === "string" && { "mcp-name": encode(name) }),
  };
}

/** Headers only allow visible ASCII; text that already looks encoded is encoded again. */
function encode(text: string): string {
  return /^(?!=\?)[!-~]+$/.test(text) ? text : `=?base64?${Buffer.from(text).toString("base64")}?=`;
}

/** A JSON-RPC error for a response that is not JSON-RPC, such as 401, 413 or 429. */
function failure(id: RequestId, status: number, value: unknown): string {
  const { code = "", detail = "" } = isObject(value) ? value : {};
  const message = `${status} ${String(code)}: ${String(detail)}`;
  return faultText(id, { code: SERVER_ERROR, message, status: 0, data: { status } });
}

/** Id to answer under; undefined for a notification, a response, and anything without one. */
function idOf(message: unknown): RequestId | undefined {
  const id = isObject(message) && "method" in message ? message["id"] : undefined;
  return typeof id === "string" || typeof id === "number" ? id : undefined;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
