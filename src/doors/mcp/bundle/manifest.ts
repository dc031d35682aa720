import { description, license, version } from "../../../../package.json";
import { toolMethods } from "../../../verbs/table.ts";

/** The bundle's manifest (MCPB manifest 0.3). @param address the appliance's */
export function bundleManifest(address: string): object {
  return {
    manifest_version: "0.3",
    name: "kanalog",
    display_name: "Kanalog",
    version,
    description: "Channels, statistics and posts of a messenger, from your Kanalog appliance.",
    long_description: description,
    author: { name: "Kanalog" },
    license,
    icon: "icon.png",
    server: {
      type: "node",
      entry_point: "server.mjs",
      mcp_config: {
        command: "node",
        // biome-ignore-start lint/suspicious/noTemplateCurlyInString: filled in by the host
        args: ["${__dirname}/server.mjs"],
        env: { KANALOG_URL: "${user_config.url}", KANALOG_KEY: "${user_config.key}" },
        // biome-ignore-end lint/suspicious/noTemplateCurlyInString: filled in by the host
      },
    },
    tools: toolMethods.map(({ operationId, title }) => ({
      name: operationId,
      description: title,
    })),
    user_config: {
      url: {
        type: "string",
        title: "Address",
        description: "The address of the Kanalog appliance",
        default: address,
        required: true,
      },
      key: {
        type: "string",
        title: "API key",
        description: "A read-only key is enough: knl_ro_…",
        sensitive: true,
        required: true,
      },
    },
    compatibility: { runtimes: { node: ">=20.0.0" } },
  };
}
