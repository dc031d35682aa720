import type { AppError } from "../../errors.ts";
import type { Outcome } from "../../methods/call.ts";
import type { ApiMethod } from "../../methods/method.ts";
import type { RawArguments } from "../../methods/read-arguments.ts";
import type { Services } from "../../methods/services.ts";
import { errorText } from "./error-text.ts";
import { INSTRUCTIONS } from "./instructions.ts";
import { invalidParams, isObject, type RpcRequest, rateLimited, readMessage } from "./json-rpc.ts";
import { answerFault, answerResult, answerText, idOf, type McpAnswer } from "./mcp-answer.ts";
import { modernFault, quoted, unknownMethod, unsupportedVersion } from "./protocol-faults.ts";
import { argumentsFault, errorResult, kindly, toolResult } from "./tool-call.ts";
import { describeTool } from "./tools.ts";
import { agreedVersion, META, MODERN_VERSION, SUPPORTED } from "./versions.ts";

/** How long a client may keep the list of tools. */
const LIST_TTL_MS = 5 * 60 * 1000;

/** One POST, as the protocol sees it. */
interface McpPost {
  /** The body's value, undefined where it is not JSON; or the bound that it breaks. */
  body: { value: unknown } | { bound: string };
  nowMs: number;
  header(name: string): string | null;
  /** Takes a message that calls no tool; the refusal where the organization sends too many. */
  takeMessage(): AppError | null;
  /** Takes the call of a tool from the plan's rate, after a wait where need be; or the refusal. */
  takeCall(): AppError | null | Promise<null>;
  call(method: ApiMethod, raw: RawArguments): Promise<Outcome>;
  /** Counts the call of a tool that was not run; null for one that does not exist. */
  refuse(method: ApiMethod | null, denial: AppError): Outcome;
}

type McpDispatcher = (post: McpPost) => Promise<McpAnswer>;

/**
 * The MCP server: request in, answer out (specification, section 4; its error table, section 7).
 * @param methods those that are tools, in the order in which they are listed
 */
export function createDispatcher(
  methods: readonly ApiMethod[],
  version: string,
  services: Pick<Services, "directory" | "statistics">,
): McpDispatcher {
  const tools = new Map(methods.map((method) => [method.operationId, method]));
  const toolsText = JSON.stringify([...tools.values()].map(describeTool));
  const serverInfo = { name: "kanalog", title: "Kanalog: Channel Data API", version };
  const capabilities = { tools: { listChanged: false } };
  const about = JSON.stringify({ [`${META}serverInfo`]: serverInfo });

  return async (post) => {
    const message = readMessage(post.body);
    const isToolCall = message.kind === "request" && message.request.method === "tools/call";
    const taken = isToolCall ? post.takeCall() : post.takeMessage();
    // Awaited only where the call has to wait: reads come before the next wait (db/read-transaction.ts).
    const denial = taken instanceof Promise ? await taken : taken;
    if (denial !== null && !isToolCall) {
      const text = errorText(denial, { method: null, nowMs: post.nowMs, ...services });
      return answerFault(idOf(message), rateLimited(text));
    }
    const version = post.header("mcp-protocol-version");
    if (message.kind === "fault") return answerFault(message.id, message.fault);
    if (version !== null && !SUPPORTED.includes(version)) {
      return answerFault(idOf(message), unsupportedVersion(version));
    }
    if (message.kind === "unanswered") return { status: 202, body: null, outcome: null };
    const { request } = message;
    const answer = version === MODERN_VERSION ? answerModern : answerLegacy;
    return answer(request, post, denial);
  };

  async function answerLegacy(
    request: RpcRequest,
    post: McpPost,
    denial: AppError | null,
  ): Promise<McpAnswer> {
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
        return callTool(request, post, denial, "");
      default:
        return answerFault(id, unknownMethod(method, 200));
    }
  }

  async function answerModern(
    request: RpcRequest,
    post: McpPost,
    denial: AppError | null,
  ): Promise<McpAnswer> {
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
        return callTool(request, post, denial, `${common},`);
      default:
        return answerFault(id, unknownMethod(method, 404));
    }
  }

  /**
   * @param denial set where the plan's rate is exceeded: then no method runs
   * @param common members that every result of the era has, as JSON text with a comma behind
   */
  async function callTool(
    { id, params }: RpcRequest,
    post: McpPost,
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
    const raw = kindly(method, given);
    const outcome = await post.call(method, raw);
    const answer = outcome.ok
      ? answerText(id, toolResult(common, method, raw, outcome.body, services))
      : failed(method, outcome.error);
    return { ...answer, outcome };
  }
}
