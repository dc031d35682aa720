import type { AppError } from "../../errors.ts";
import { isObject } from "../../values/json-text.ts";
import type { Outcome } from "../../verbs/call.ts";
import type { ApiMethod } from "../../verbs/method.ts";
import type { RawArguments } from "../../verbs/read-arguments.ts";
import type { Services } from "../../verbs/services.ts";
import { errorText } from "./error-text.ts";
import { invalidParams, type RpcRequest } from "./json-rpc.ts";
import { answerFault, answerText, type McpAnswer } from "./mcp-answer.ts";
import { quoted } from "./protocol-faults.ts";
import { argumentsFault, argumentsFor, errorResult, toolResult } from "./tool-call.ts";
import { describeTool } from "./tools.ts";

/** The part of a POST that runs and counts tools. */
export interface ToolPost {
  nowMs: number;
  call(method: ApiMethod, raw: RawArguments): Promise<Outcome>;
  /** Counts a call of a tool that was not run; null for an unknown tool. */
  refuse(method: ApiMethod | null, denial: AppError): Outcome;
}

export type ToolSet = ReturnType<typeof createToolSet>;

/**
 * Lists and calls the tools, in both eras of the protocol.
 * @param methods the tools, in the order in which they are listed
 */
export function createToolSet(
  methods: readonly ApiMethod[],
  services: Pick<Services, "directory" | "statistics">,
) {
  const tools = new Map(methods.map((method) => [method.operationId, method]));
  const listText = JSON.stringify(methods.map(describeTool));

  return {
    /** @param common members of every list in this era, as JSON text with a trailing comma */
    list({ id, params }: RpcRequest, common: string): McpAnswer {
      return params?.["cursor"] === undefined
        ? answerText(id, `{${common}"tools":${listText}}`)
        : answerFault(id, invalidParams("`cursor` is not one of this server's."));
    },

    /**
     * @param denial set if the plan's rate is exceeded: no method runs then
     * @param common members of every result in this era, as JSON text with a trailing comma
     */
    async call(
      { id, params }: RpcRequest,
      post: ToolPost,
      denial: AppError | null,
      common: string,
    ): Promise<McpAnswer> {
      const name = params?.["name"];
      const method = typeof name === "string" ? tools.get(name) : undefined;
      const failed = (of: ApiMethod | null, error: AppError): McpAnswer => {
        const context = { method: of, nowMs: post.nowMs, directory: services.directory };
        return answerText(id, errorResult(common, errorText(error, context)));
      };
      if (denial !== null) {
        const outcome = post.refuse(method ?? null, denial);
        return { ...failed(null, denial), outcome };
      }
      if (method === undefined) {
        return answerFault(id, invalidParams(`There is no tool ${quoted(name)}.`));
      }
      const given = params?.["arguments"] === undefined ? {} : params["arguments"];
      if (!isObject(given)) return answerFault(id, invalidParams("`arguments` must be an object."));
      const fault = argumentsFault(method, given);
      if (fault !== null) return answerFault(id, invalidParams(fault));
      const raw = argumentsFor(method, given);
      const outcome = await post.call(method, raw);
      const answer = outcome.ok
        ? answerText(id, toolResult(common, method, raw, outcome.body, services))
        : failed(method, outcome.error);
      return { ...answer, outcome };
    },
  };
}
