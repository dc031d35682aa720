import { CHANNEL_DATA, OPERATOR } from "../doors/http/docs/document-head.ts";
import { WRITTEN_ADDRESS } from "../doors/http/docs/guide-html.ts";
import { openApiText } from "../doors/http/docs/openapi.ts";
import { apiMethods } from "../verbs/methods/table.ts";
import { endpoints } from "../verbs/operator/resources.ts";

/**
 * The OpenAPI document of an API, for the command.
 * @param address the appliance's, without a trailing slash
 */
export async function openApi(api: "customers" | "operator", address: string): Promise<object> {
  const text =
    api === "operator"
      ? await openApiText(OPERATOR, endpoints, address)
      : await openApiText(CHANNEL_DATA, apiMethods, address);
  return JSON.parse(text.replaceAll(WRITTEN_ADDRESS, address)) as object;
}
