import type { AppError } from "../../errors.ts";
import type { ApiMethod } from "../../methods/method.ts";
import type { Services } from "../../methods/services.ts";
import { errorText } from "./error-text.ts";
import { INSTRUCTIONS } from "./instructions.ts";
import { invalidParams, type RpcRequest, rateLimited, readMessage } from "./json-rpc.ts";
import { answerFault, answerResult, answerText, idOf, type McpAnswer } from "./mcp-answer.ts";
import { modernFault, unknownMethod, unsupportedVersion } from "./protocol-faults.ts";
import { createToolSet, type ToolPost } from "./tool-set.ts";
import { agreedVersion, META, MODERN_VERSION, SUPPORTED } from "./versions.ts";

/** How long clients may cache the list of tools. */
const LIST_TTL_MS = 5 * 60 * 1000;

/** One POST, as the protocol sees it. */
interface McpPost extends ToolPost {
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

type McpDispatcher = (post: McpPost) => Promise<McpAnswer>;

/**
 * The MCP server: request in, answer out (specification, section 4; its error table, section 7).
 * @param methods the tools, in the order in which they are listed
 */
export function createDispatcher(
  methods: readonly ApiMethod[],
  version: string,
  services: Pick<Services, "directory" | "statistics">,
): McpDispatcher {
  const tools = createToolSet(methods, services);
  const serverInfo = { name: "kanalog", title: "Kanalog: Channel Data API", version };
  const capabilities = { tools: { listChanged: false } };
  const about = JSON.stringify({ [`${META}serverInfo`]: serverInfo });

  return async (post) => {
    const message = readMessage(post.body);
    const isToolCall = message.kind === "request" && message.request.method === "tools/call";
    const taken = isToolCall ? post.takeCall() : post.takeMessage();
    // Awaited only if the call has to wait: reads must come before the next await (db/read-transaction.ts).
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
        return tools.list(request, "");
      case "tools/call":
        return tools.call(request, post, denial, "");
      default:
        return answerFault(id, unknownMethod(method, 200));
    }
  }

  async function answerModern(
    request: RpcRequest,
    post: McpPost,
    denial: AppError | null,
  ): Promise<McpAnswer> {
    const { id, method } = request;
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
        return tools.list(request, `${cacheable},`);
      case "tools/call":
        return tools.call(request, post, denial, `${common},`);
      default:
        return answerFault(id, unknownMethod(method, 404));
    }
  }
}
