import type { Outcome } from "../../methods/call.ts";
import { faultText, type Message, type RequestId, type RpcFault, resultText } from "./json-rpc.ts";

/** Answers to a POST, as the HTTP route takes them. */

export type McpAnswer = {
  status: number;
  /** Null where the answer has no body. */
  body: string | null;
  /** The outcome of the tool that was called; null where none was. */
  outcome: Outcome | null;
};

/** The id to answer a message under; null where it has none. */
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
