import type { ApiMethod } from "../../verbs/method.ts";
import type { Services } from "../../verbs/services.ts";
import { errorText } from "./error-text.ts";
import { rateLimited, readMessage } from "./json-rpc.ts";
import { createLegacyEra } from "./legacy-era.ts";
import { answerFault, idOf, type McpAnswer } from "./mcp-answer.ts";
import type { McpPost } from "./mcp-post.ts";
import { createModernEra } from "./modern-era.ts";
import { unsupportedVersion } from "./protocol-faults.ts";
import { createToolSet } from "./tool-set.ts";
import { MODERN_VERSION, SUPPORTED } from "./versions.ts";

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
  const answerLegacy = createLegacyEra(tools, version);
  const answerModern = createModernEra(tools, version);

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
