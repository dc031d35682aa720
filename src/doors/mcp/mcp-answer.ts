import type { Outcome } from "../../verbs/call.ts";
import { faultText, type Message, type RequestId, type RpcFault, resultText } from "./json-rpc.ts";

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
