import { INSTRUCTIONS } from "./instructions.ts";
import { answerFault, answerText } from "./mcp-answer.ts";
import type { AnswerRequest } from "./mcp-post.ts";
import { modernFault, unknownMethod } from "./protocol-faults.ts";
import { CAPABILITIES, serverInfo } from "./server-info.ts";
import type { ToolSet } from "./tool-set.ts";
import { META, SUPPORTED } from "./versions.ts";

/** How long clients may cache the list of tools. */
const LIST_TTL_MS = 5 * 60 * 1000;

/** Answers requests of the protocol's version without a handshake: each states its own version. */
export function createModernEra(tools: ToolSet, version: string): AnswerRequest {
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
          instructions: INSTRUCTIONS,
        };
        return answerText(id, `{${cacheable},${JSON.stringify(found).slice(1)}`);
      }
      case "tools/list":
        return tools.list(request, `${cacheable},`);
      case "tools/call":
        return tools.call(request, post, denial, `${common},`);
      default:
        return answerFault(id, unknownMethod(method, 404));
    }
  };
}
