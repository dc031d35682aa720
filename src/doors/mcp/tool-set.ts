import type { AppError } from "../../errors.ts";
import { isObject } from "../../values/json-text.ts";
import type { Outcome } from "../../verbs/call.ts";
import type { ApiMethod } from "../../verbs/method.ts";
import type { Cursors } from "../../verbs/paging.ts";
import type { Parameter } from "../../verbs/parameters.ts";
import type { RawArguments } from "../../verbs/read-arguments.ts";
import type { Services } from "../../verbs/services.ts";
import { errorText } from "./error-text.ts";
import type { McpAnswer, RpcRequest } from "./json-rpc.ts";
import { answerFault, answerText, invalidParams } from "./json-rpc.ts";
import { quoted } from "./protocol.ts";
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
  services: NameServices & Pick<Services, "statistics" | "cursors">,
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
      const args = argumentsFor(method, given, services.cursors);
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
      answer.outcome = outcome;
      return answer;
    },
  };
}

/** The fault in a call's arguments that its method would not see; null if there is none. */
function argumentsFault(
  { parameters, operationId }: ApiMethod,
  given: Record<string, unknown>,
): string | null {
  for (const name of Object.keys(given)) {
    if (!Object.hasOwn(parameters, name)) {
      const known = Object.keys(parameters).join(", ") || "none";
      return `${operationId} has no argument ${quoted(name)}; it takes: ${known}.`;
    }
  }
  for (const name in parameters) {
    // A cursor carries its list's arguments, including the channel of posts.
    const isNeeded = parameters[name]?.required === true && typeof given["cursor"] !== "string";
    if (isNeeded && !Object.hasOwn(given, name)) {
      return `${operationId} needs the argument ${JSON.stringify(name)}.`;
    }
  }
  return null;
}

/** The fault in values that go into a path, once names have become numbers; null if there is none. */
function pathFault({ parameters }: ApiMethod, raw: RawArguments): string | null {
  for (const name in parameters) {
    const value = raw[name];
    const isInPath = parameters[name]?.in === "path";
    if (isInPath && typeof value === "string" && /[/?#]/.test(value)) {
      return `${JSON.stringify(name)} must not contain /, ? or #.`;
    }
  }
  return null;
}

/**
 * Converts arguments to the form a method accepts: null counts as not given, a handle may have its `@`, and
 * a list may be a JSON array. What the tool adds by default is added.
 */
function argumentsFor(
  method: ApiMethod,
  given: Readonly<Record<string, unknown>>,
  cursors: Cursors,
): RawArguments {
  const { parameters, toolDefaults } = method;
  const raw: RawArguments = {};
  const isNextPage = typeof given["cursor"] === "string";
  for (const name in given) {
    const parameter = parameters[name];
    const value = given[name];
    if (parameter === undefined) continue;
    if (value === null && (!parameter.required || isNextPage)) continue;
    raw[name] = argumentFor(name, parameter, value);
    if (name === "cursor" && typeof value === "string") {
      const opened = cursors.openShort(method, value);
      if (opened !== null) raw[name] = cursors.write(method.operationId, opened);
    }
  }
  if (toolDefaults === undefined || isNextPage) return raw;
  const { unless = [], args } = toolDefaults;
  return unless.some((name) => raw[name] !== undefined) ? raw : { ...args, ...raw };
}

function argumentFor(name: string, { isList }: Parameter<unknown>, value: unknown): unknown {
  if (typeof value === "string") {
    return name === "channel" ? value.trim().replace(/^@/, "") : value;
  }
  const isFlat = isList && Array.isArray(value) && value.every((item) => typeof item !== "object");
  return isFlat ? value.join(",") : value;
}
