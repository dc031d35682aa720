import { isObject } from "../../values/json-text.ts";
import type { Services } from "../../verbs/services.ts";
import { invalidParams, type RpcFault, type RpcRequest } from "./json-rpc.ts";
import { plainJson } from "./plain-text.ts";
import { LISTED_PROMPTS, promptFor } from "./prompts.ts";
import { LISTED_RESOURCES, readResource } from "./resources.ts";

/**
 * Answers what is beside tools, resources and prompts, in both eras; null for any other method.
 * @returns JSON text of the result's members, with braces
 */
export function answerBesideTools(
  { method, params = {} }: RpcRequest,
  services: Pick<Services, "directory">,
): { result: string } | { fault: RpcFault } | null {
  switch (method) {
    case "resources/list":
      return { result: JSON.stringify({ resources: LISTED_RESOURCES }) };
    case "resources/templates/list":
      return { result: JSON.stringify({ resourceTemplates: [] }) };
    case "resources/read": {
      const read = readResource(params["uri"], services);
      return read === null
        ? { fault: invalidParams("There is no such resource.") }
        : { result: plainJson(JSON.stringify(read)) };
    }
    case "prompts/list":
      return { result: JSON.stringify({ prompts: LISTED_PROMPTS }) };
    case "prompts/get": {
      const given = isObject(params["arguments"]) ? params["arguments"] : {};
      const found = promptFor(params["name"], given);
      return "fault" in found
        ? { fault: invalidParams(found.fault) }
        : { result: plainJson(JSON.stringify(found)) };
    }
    default:
      return null;
  }
}
