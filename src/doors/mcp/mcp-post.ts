import type { AppError } from "../../errors.ts";
import type { RpcRequest } from "./json-rpc.ts";
import type { McpAnswer } from "./mcp-answer.ts";
import type { ToolPost } from "./tool-set.ts";

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
