import { description, license, version } from "../../../../package.json";
import type { Config } from "../../../config.ts";
import { mcpAddress } from "../../../customers/keys/connect-snippets.ts";
import { toolMethods } from "../../../verbs/methods/table.ts";

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
        env: {
          KANALOG_URL: "${user_config.url}",
          KANALOG_KEY: "${user_config.key}",
          KANALOG_PROGRAM: "${user_config.program}",
          KANALOG_FILE: "${user_config.file}",
        },
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
        required: false,
        default: "",
      },
      program: {
        type: "file",
        title: "Without an appliance: the program",
        description: "The kanalog executable of this computer, in place of address and key",
        required: false,
        default: "",
      },
      file: {
        type: "file",
        title: "Without an appliance: the database",
        description: "A database file to read; without one, the sample channels",
        required: false,
        default: "",
      },
    },
    compatibility: { runtimes: { node: ">=20.0.0" } },
  };
}

/**
 * The entry of the official registry, `server.json` (schema of 2025-12-11). Its name is the address in reverse,
 * which the registry compares with the domain that the operator proves to own.
 * @param base the appliance's address
 */
export function registryManifest(
  base: string,
  { brand, oauth }: Pick<Config, "brand" | "oauth">,
): object {
  const { hostname } = new URL(base);
  const key = {
    ...{ description: "An API key; a read-only one is enough", placeholder: "knl_ro_…" },
    ...{ isRequired: true, isSecret: true },
  };
  const authorization = {
    ...{ name: "Authorization", description: "Bearer, and an API key", value: "Bearer {key}" },
    ...{ isRequired: true, isSecret: true, variables: { key } },
  };
  return {
    $schema: "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
    name: `${hostname.split(".").toReversed().join(".")}/kanalog`,
    title: brand,
    description: "Channels, daily statistics and posts of a messenger: search, growth, comparison.",
    version,
    websiteUrl: `${base}/docs/mcp/`,
    icons: [{ src: `${base}/docs/mcp/icon.png`, mimeType: "image/png", sizes: ["256x256"] }],
    // Where assistants may sign in, they find that out by themselves.
    remotes: [
      {
        type: "streamable-http",
        url: mcpAddress(base),
        ...(!oauth && { headers: [authorization] }),
      },
    ],
  };
}
