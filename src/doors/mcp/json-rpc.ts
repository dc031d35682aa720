import type { AppError } from "../../errors.ts";
import { isObject } from "../../values/json-text.ts";
import type { Outcome } from "../../verbs/call.ts";
import type { ToolPost } from "./tool-set.ts";

/** JSON-RPC 2.0 as MCP uses it: one object per POST (specification, section 4). */

/** Prefix of the protocol's own names in `_meta`. */
export const META = "io.modelcontextprotocol/";

export type RequestId = string | number;

export interface RpcRequest {
  id: RequestId;
  method: string;
  /** Undefined if there are none. */
  params: Record<string, unknown> | undefined;
}

export type Message =
  | { kind: "request"; request: RpcRequest }
  /** A notification or a response: nothing is run, and nothing is answered. */
  | { kind: "unanswered" }
  | { kind: "fault"; id: RequestId | null; fault: RpcFault };

/** A protocol error, with its HTTP status. */
export interface RpcFault {
  code: number;
  message: string;
  status: number;
  data?: unknown;
}

const PARSE_ERROR = -32700;
const INVALID_REQUEST = -32600;
export const METHOD_NOT_FOUND = -32601;
const INVALID_PARAMS = -32602;
/** The server failed; JSON-RPC leaves the choice of this code to servers. */
export const SERVER_ERROR = -32000;

/** @param body the JSON value, undefined if it is invalid; or the limit that it exceeds */
export function readMessage(body: { value: unknown } | { bound: string }): Message {
  if ("bound" in body) return broken(null, PARSE_ERROR, body.bound);
  const { value } = body;
  if (value === undefined) return broken(null, PARSE_ERROR, "The body is not JSON.");
  if (!isObject(value)) return broken(null, INVALID_REQUEST, "Send one JSON-RPC object.");
  const { jsonrpc, id = undefined, method = undefined, params = undefined } = own(value);
  if (id !== undefined && !isId(id)) {
    return broken(null, INVALID_REQUEST, ID_FAULT);
  }
  if (jsonrpc !== "2.0") return broken(id ?? null, INVALID_REQUEST, '`jsonrpc` must be "2.0".');
  if (method === undefined && ("result" in value || "error" in value)) {
    return { kind: "unanswered" };
  }
  if (typeof method !== "string") {
    return broken(id ?? null, INVALID_REQUEST, "`method` must be a string.");
  }
  if (id === undefined) return { kind: "unanswered" };
  if (params !== undefined && !isObject(params)) {
    return { kind: "fault", id, fault: invalidParams("`params` must be an object.") };
  }
  return { kind: "request", request: { id, method, params } };
}

export function invalidParams(message: string, status = 200): RpcFault {
  return { code: INVALID_PARAMS, message, status };
}

/** @param message says how long to wait */
export function rateLimited(message: string): RpcFault {
  return { code: SERVER_ERROR, message, status: 429 };
}

/** @param result JSON text */
function resultText(id: RequestId, result: string): string {
  return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}`;
}

export function faultText(id: RequestId | null, { code, message, data }: RpcFault): string {
  return JSON.stringify({ jsonrpc: "2.0", id, error: { code, message, data } });
}

function broken(id: RequestId | null, code: number, message: string): Message {
  return { kind: "fault", id, fault: { code, message, status: 400 } };
}

/** Longest id, in bytes of JSON: every answer repeats it, and error answers must stay small. */
const ID_BYTES_MAX = 2_050;
const ID_FAULT = `\`id\` must be a safe integer, or a string of at most ${ID_BYTES_MAX} bytes of JSON.`;

function isId(id: unknown): id is RequestId {
  return typeof id === "string"
    ? id.length <= ID_BYTES_MAX && Buffer.byteLength(JSON.stringify(id)) <= ID_BYTES_MAX
    : Number.isSafeInteger(id);
}

/** A copy without a prototype: `{"__proto__": …}` is a member like any other. */
function own(value: Record<string, unknown>): Record<string, unknown> {
  return Object.assign(Object.create(null), value);
}

/** Answer to a POST, as the HTTP route expects it. */
export type McpAnswer = {
  status: number;
  /** Null if the answer has no body. */
  body: string | null;
  /** Outcome of the called tool; null if none was called. */
  outcome: Outcome | null;
};

/** Id under which to answer a message; null if it has none. */
export function idOf(message: Message): RequestId | null {
  if (message.kind === "request") return message.request.id;
  return message.kind === "fault" ? message.id : null;
}

export function answerResult(id: RequestId, result: object): McpAnswer {
  return answerText(id, JSON.stringify(result));
}

export function answerText(id: RequestId, result: string): McpAnswer {
  return { status: 200, body: resultText(id, result), outcome: null };
}

export function answerFault(id: RequestId | null, fault: RpcFault): McpAnswer {
  return { status: fault.status, body: faultText(id, fault), outcome: null };
}

/** One POST, as the protocol sees it. */
export interface McpPost extends ToolPost {
  /** The body's value, undefined if it is invalid JSON; or the limit that it exceeds. */
  body: { value: unknown } | { bound: string };
  header(name: string): string | null;
  /** Takes a message that calls no tool from its rate; returns the refusal if there are too many. */
  takeMessage(): AppError | null;
  /**
   * Takes a tool call from the plan's rate, after waiting if necessary; returns the refusal if there are
   * too many.
   */
  takeCall(): AppError | null | Promise<null>;
}

/**
 * Answers a request of one era of the protocol.
 * @param denial set if a tool call exceeds the plan's rate
 */
export type AnswerRequest = (
  request: RpcRequest,
  post: McpPost,
  denial: AppError | null,
) => Promise<McpAnswer>;
