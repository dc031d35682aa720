import type { AppError } from "../../errors.ts";
import type { Outcome } from "../../methods/call.ts";
import type { ApiMethod } from "../../methods/method.ts";
import type { RawArguments } from "../../methods/read-arguments.ts";
import {
  faultText,
  invalidParams,
  isObject,
  type RequestId,
  type RpcFault,
  type RpcRequest,
  readMessage,
  resultText,
} from "./json-rpc.ts";
import { modernFault, quoted, unknownMethod, unsupportedVersion } from "./protocol-faults.ts";
import { argumentsFault, errorResult, toolResult } from "./tool-call.ts";
import { describeTool } from "./tools.ts";
import { agreedVersion, META, MODERN_VERSION, SUPPORTED } from "./versions.ts";

/** How long a client may keep the list of tools. */
const LIST_TTL_MS = 5 * 60 * 1000;

const INSTRUCTIONS =
  "Data about a messenger's channels. To answer about a channel that a person names, find it with " +
  "msgr_channels_resolve_retrieve (link or @handle) or msgr_channels_list (`q`, a part of the " +
  "title), then take its number to msgr_channels_retrieve (card), msgr_stats_daily_list (growth " +
  "by day, up to 100 channels at once; for this month give `from` as its first day) or " +
  "msgr_channels_posts_retrieve (posts). For the biggest or best channels of a topic take the code " +
  "from msgr_categories_list (free), then msgr_channels_list with `category` and `limit`. Codes " +
  "are Latin and lower case (science, moskva): look them up, do not translate. Lists have pages: " +
  "ask for only as many items as you need with `limit`; where `next` is not null, call the same " +
  "tool with the same arguments and `cursor` set to the text after `cursor=` in `next`, not the " +
  "whole address. Days are Moscow's, YYYY-MM-DD. Most calls cost one request unit, failed ones " +
  "too; me_retrieve says for free how many are left.";

/** One POST, as the protocol sees it. */
export interface McpPost {
  /** The body's value, undefined where it is not JSON; or the bound that it breaks. */
  body: { value: unknown } | { bound: string };
  header(name: string): string | null;
  /** Set where the plan's rate is exceeded: then no method runs. */
  denial: AppError | null;
  call(method: ApiMethod, raw: RawArguments): Promise<Outcome>;
  /** Counts the call of a tool that was not run; null for one that does not exist. */
  refuse(method: ApiMethod | null, denial: AppError): Outcome;
}

export type McpAnswer = {
  /** 429 where the rate refuses a request that calls no tool; the HTTP route words it. */
  status: number;
  /** Null where the answer has no body. */
  body: string | null;
  /** The outcome of the tool that was called; null where none was. */
  outcome: Outcome | null;
};

export type McpDispatcher = (post: McpPost) => Promise<McpAnswer>;

/**
 * The MCP server: request in, answer out (specification, section 4; its error table, section 7).
 * @param methods those that are tools, in the order in which they are listed
 */
export function createDispatcher(methods: readonly ApiMethod[], version: string): McpDispatcher {
  const tools = new Map(methods.map((method) => [method.operationId, method]));
  const toolsText = JSON.stringify([...tools.values()].map(describeTool));
  const serverInfo = { name: "kanalog", title: "Kanalog: Channel Data API", version };
  const capabilities = { tools: { listChanged: false } };
  const about = JSON.stringify({ [`${META}serverInfo`]: serverInfo });

  return async (post) => {
    const message = readMessage(post.body);
    const isToolCall = message.kind === "request" && message.request.method === "tools/call";
    if (post.denial !== null && !isToolCall) return { status: 429, body: null, outcome: null };
    const version = post.header("mcp-protocol-version");
    if (message.kind === "fault") return answerFault(message.id, message.fault);
    if (version !== null && !SUPPORTED.includes(version)) {
      const id = message.kind === "request" ? message.request.id : null;
      return answerFault(id, unsupportedVersion(version));
    }
    if (message.kind === "unanswered") return { status: 202, body: null, outcome: null };
    const { request } = message;
    return version === MODERN_VERSION ? answerModern(request, post) : answerLegacy(request, post);
  };

  async function answerLegacy(request: RpcRequest, post: McpPost): Promise<McpAnswer> {
    const { id, method, params } = request;
    switch (method) {
      case "initialize":
        if (params === undefined) return answerFault(id, invalidParams("`params` are missing."));
        return answerResult(id, {
          protocolVersion: agreedVersion(params["protocolVersion"]),
          capabilities,
          serverInfo,
          instructions: INSTRUCTIONS,
        });
      case "ping":
        return answerResult(id, {});
      case "tools/list":
        return params?.["cursor"] === undefined
          ? answerText(id, `{"tools":${toolsText}}`)
          : answerFault(id, invalidParams("`cursor` is not one of this server's."));
      case "tools/call":
        return callTool(request, post, "");
      default:
        return answerFault(id, unknownMethod(method, 200));
    }
  }

  async function answerModern(request: RpcRequest, post: McpPost): Promise<McpAnswer> {
    const { id, method, params } = request;
    const fault = modernFault(request, post.header);
    if (fault !== null) return answerFault(id, fault);
    const common = `"resultType":"complete","_meta":${about}`;
    const cacheable = `${common},"ttlMs":${LIST_TTL_MS},"cacheScope":"public"`;
    switch (method) {
      case "server/discover": {
        const found = { supportedVersions: SUPPORTED, capabilities, instructions: INSTRUCTIONS };
        return answerText(id, `{${cacheable},${JSON.stringify(found).slice(1)}`);
      }
      case "tools/list":
        return params?.["cursor"] === undefined
          ? answerText(id, `{${cacheable},"tools":${toolsText}}`)
          : answerFault(id, invalidParams("`cursor` is not one of this server's."));
      case "tools/call":
        return callTool(request, post, `${common},`);
      default:
        return answerFault(id, unknownMethod(method, 404));
    }
  }

  /** @param common members that every result of the era has, as JSON text with a comma behind */
  async function callTool(
    { id, params }: RpcRequest,
    post: McpPost,
    common: string,
  ): Promise<McpAnswer> {
    const name = params?.["name"];
    const method = typeof name === "string" ? tools.get(name) : undefined;
    if (post.denial !== null) {
      const outcome = post.refuse(method ?? null, post.denial);
      return { ...answerText(id, errorResult(common, null, post.denial)), outcome };
    }
    if (method === undefined) {
      return answerFault(id, invalidParams(`There is no tool ${quoted(name)}.`));
    }
    const given = params?.["arguments"] === undefined ? {} : params["arguments"];
    if (!isObject(given)) return answerFault(id, invalidParams("`arguments` must be an object."));
    const fault = argumentsFault(method, given);
    if (fault !== null) return answerFault(id, invalidParams(fault));
    const outcome = await post.call(method, { ...given });
    return { ...answerText(id, toolResult(common, method, outcome)), outcome };
  }
}

function answerResult(id: RequestId, result: object): McpAnswer {
  return answerText(id, JSON.stringify(result));
}

function answerText(id: RequestId, result: string): McpAnswer {
  return { status: 200, body: resultText(id, result), outcome: null };
}

function answerFault(id: RequestId | null, fault: RpcFault): McpAnswer {
  return { status: fault.status, body: faultText(id, fault), outcome: null };
}
