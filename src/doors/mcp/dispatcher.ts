import type { ApiMethod } from "../../verbs/method.ts";
import { meRetrieve } from "../../verbs/methods/me.ts";
import type { Services } from "../../verbs/services.ts";
import { errorText } from "./error-text.ts";
import {
  type AnswerRequest,
  answerFault,
  answerResult,
  answerText,
  idOf,
  invalidParams,
  type McpAnswer,
  type McpPost,
  META,
  rateLimited,
  readMessage,
} from "./json-rpc.ts";
import { answerBesideTools } from "./prompts.ts";
import {
  agreedVersion,
  CAPABILITIES,
  instructionsFor,
  MODERN_VERSION,
  modernFault,
  SUPPORTED,
  serverInfo,
  unknownMethod,
  unsupportedVersion,
} from "./protocol.ts";
import { createToolSet, type ToolSet } from "./tool-set.ts";

type McpDispatcher = (post: McpPost) => Promise<McpAnswer>;

/**
 * The MCP server: request in, answer out (specification, section 4; its error table, section 7).
 * @param methods the tools, in the order in which they are listed
 */
export function createDispatcher(
  methods: readonly ApiMethod[],
  { version, messenger }: { version: string; messenger: string },
  services: Pick<Services, "channels" | "directory" | "search" | "statistics" | "cursors">,
): McpDispatcher {
  const tools = createToolSet(methods, messenger, services);
  const about = { version, instructions: instructionsFor(messenger, methods.includes(meRetrieve)) };
  const answerLegacy = createLegacyEra(tools, about, services);
  const answerModern = createModernEra(tools, about, services);

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
}

interface About {
  version: string;
  instructions: string;
}

/** Answers requests of the protocol's versions with a handshake, `initialize`. */
function createLegacyEra(
  tools: ToolSet,
  { version, instructions }: About,
  services: Pick<Services, "directory">,
): AnswerRequest {
  return async (request, post, denial) => {
    const { id, method, params } = request;
    switch (method) {
      case "initialize":
        if (params === undefined) return answerFault(id, invalidParams("`params` are missing."));
        return answerResult(id, {
          protocolVersion: agreedVersion(params["protocolVersion"]),
          capabilities: CAPABILITIES,
          serverInfo: serverInfo(version),
          instructions,
        });
      case "ping":
        return answerResult(id, {});
      case "tools/list":
        return tools.list(request, "");
      case "tools/call":
        return tools.call(request, post, denial, { common: "", isModern: false });
      default: {
        const beside = answerBesideTools(request, services);
        if (beside === null) return answerFault(id, unknownMethod(method, 200));
        return "fault" in beside ? answerFault(id, beside.fault) : answerText(id, beside.result);
      }
    }
  };
}

/** How long clients may cache the list of tools. */
const LIST_TTL_MS = 5 * 60 * 1000;

/** Answers requests of the protocol's version without a handshake: each states its own version. */
function createModernEra(
  tools: ToolSet,
  { version, instructions }: About,
  services: Pick<Services, "directory">,
): AnswerRequest {
  const about = JSON.stringify({ [`${META}serverInfo`]: serverInfo(version) });
  const common = `"resultType":"complete","_meta":${about}`;
  const cacheable = `${common},"ttlMs":${LIST_TTL_MS},"cacheScope":"public"`;
  return async (request, post, denial) => {
    const { id, method } = request;
    const fault = modernFault(request, post.header);
    if (fault !== null) return answerFault(id, fault);
    switch (method) {
      case "server/discover": {
        const found = {
          supportedVersions: SUPPORTED,
          capabilities: CAPABILITIES,
          instructions,
        };
        return answerText(id, `{${cacheable},${JSON.stringify(found).slice(1)}`);
      }
      case "tools/list":
        return tools.list(request, `${cacheable},`);
      case "tools/call":
        return tools.call(request, post, denial, { common: `${common},`, isModern: true });
      default: {
        const beside = answerBesideTools(request, services);
        if (beside === null) return answerFault(id, unknownMethod(method, 404));
        return "fault" in beside
          ? answerFault(id, beside.fault)
          : answerText(id, `{${cacheable},${beside.result.slice(1)}`);
      }
    }
  };
}
