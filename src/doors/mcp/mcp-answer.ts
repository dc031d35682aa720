import type { AppError } from "../../errors.ts";
import type { Outcome } from "../../verbs/call.ts";
import {
  faultText,
  type Message,
  type RequestId,
  type RpcFault,
  type RpcRequest,
  resultText,
} from "./json-rpc.ts";
import type { ToolPost } from "./tool-set.ts";

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
