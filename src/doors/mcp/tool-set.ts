import type { AppError } from "../../errors.ts";
import { isObject } from "../../values/json-text.ts";
import type { Outcome } from "../../verbs/call.ts";
import type { ApiMethod } from "../../verbs/method.ts";
import type { RawArguments } from "../../verbs/read-arguments.ts";
import type { Services } from "../../verbs/services.ts";
import { argumentsFault, argumentsFor, pathFault } from "./call-arguments.ts";
import { errorText } from "./error-text.ts";
import { invalidParams, type RpcRequest } from "./json-rpc.ts";
import { answerFault, answerText, type McpAnswer } from "./mcp-answer.ts";
import { quoted } from "./protocol-faults.ts";
import { type NameServices, takeNames } from "./taken-names.ts";
import { errorResult, toolResult } from "./tool-answer.ts";
import { describeTool } from "./tools.ts";

/** The part of a POST that runs and counts tools. */
export interface ToolPost {
  nowMs: number;
  call(method: ApiMethod, raw: RawArguments): Promise<Outcome>;
  /** Begins another snapshot of the data, after a wait. */
  tickSnapshot(): Promise<void>;
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
  messenger: string,
  services: NameServices & Pick<Services, "statistics">,
) {
  const tools = new Map(methods.map((method) => [method.operationId, method]));
  const listText = JSON.stringify(methods.map((method) => describeTool(method, messenger)));

  return {
    /** @param common members of every list in this era, as JSON text with a trailing comma */
    list({ id, params }: RpcRequest, common: string): McpAnswer {
      return params?.["cursor"] === undefined
        ? answerText(id, `{${common}"tools":${listText}}`)
        : answerFault(id, invalidParams("`cursor` is not one of this server's."));
    },

    /**
     * @param denial set if the plan's rate is exceeded: no method runs then
     * @param era.common members of every result in this era, as JSON text with a trailing comma
     * @param era.isModern whether wrong arguments are a result, which the model reads and corrects
     */
    async call(
      { id, params }: RpcRequest,
      post: ToolPost,
      denial: AppError | null,
      { common, isModern }: { common: string; isModern: boolean },
    ): Promise<McpAnswer> {
      const name = params?.["name"];
      const method = typeof name === "string" ? tools.get(name) : undefined;
      const failed = (
        of: ApiMethod | null,
        error: AppError,
        more: string | null = null,
      ): McpAnswer => {
        const context = { method: of, nowMs: post.nowMs, directory: services.directory };
        const text = errorText(error, context);
        return answerText(id, errorResult(common, more === null ? text : `${text} ${more}`));
      };
      const wrong = (text: string): McpAnswer =>
        isModern
          ? answerText(id, errorResult(common, `400 invalid: ${text}`))
          : answerFault(id, invalidParams(text));
      if (denial !== null) {
        const outcome = post.refuse(method ?? null, denial);
        return { ...failed(null, denial), outcome };
      }
      if (method === undefined) {
        return answerFault(id, invalidParams(`There is no tool ${quoted(name)}.`));
      }
      const given = params?.["arguments"] === undefined ? {} : params["arguments"];
      if (!isObject(given)) return wrong("`arguments` must be an object.");
      const fault = argumentsFault(method, given);
      if (fault !== null) return wrong(fault);
      const args = argumentsFor(method, given);
      const taking = takeNames(method, args, services);
      // Awaited only if a title has to be searched for: reads come before the next await.
      const taken = taking instanceof Promise ? await taking : taking;
      const inPath = pathFault(method, "raw" in taken ? taken.raw : args);
      if (inPath !== null) return wrong(inPath);
      if ("refusal" in taken) {
        const outcome = post.refuse(method, taken.refusal);
        return { ...failed(method, taken.refusal, taken.nearest), outcome };
      }
      if (taking instanceof Promise) await post.tickSnapshot();
      const { raw } = taken;
      const outcome = await post.call(method, raw);
      const answer = outcome.ok
        ? answerText(id, toolResult(common, { method, given, raw }, outcome.body, services))
        : failed(method, outcome.error);
      return { ...answer, outcome };
    },
  };
}
