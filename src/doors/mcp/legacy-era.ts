import { INSTRUCTIONS } from "./instructions.ts";
import { invalidParams } from "./json-rpc.ts";
import { answerFault, answerResult } from "./mcp-answer.ts";
import type { AnswerRequest } from "./mcp-post.ts";
import { unknownMethod } from "./protocol-faults.ts";
import { CAPABILITIES, serverInfo } from "./server-info.ts";
import type { ToolSet } from "./tool-set.ts";
import { agreedVersion } from "./versions.ts";

/** Answers requests of the protocol's versions with a handshake, `initialize`. */
export function createLegacyEra(tools: ToolSet, version: string): AnswerRequest {
  return async (request, post, denial) => {
    const { id, method, params } = request;
    switch (method) {
      case "initialize":
        if (params === undefined) return answerFault(id, invalidParams("`params` are missing."));
        return answerResult(id, {
          protocolVersion: agreedVersion(params["protocolVersion"]),
          capabilities: CAPABILITIES,
          serverInfo: serverInfo(version),
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
  };
}
