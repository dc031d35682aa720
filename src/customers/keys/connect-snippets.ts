/** Placeholder for the reader's key in snippets. */
export const KEY_PLACE = "YOUR_KEY";

export interface ConnectSnippet {
  id:
    | "claude-code"
    | "claude-desktop"
    | "cursor"
    | "vs-code"
    | "lm-studio"
    | "codex"
    | "zed"
    | "bridge"
    | "curl";
  name: string;
  /** Files to put the text into; absent for a command or an address. */
  files?: readonly string[];
  text: string;
  /** Link that opens the assistant and adds the server to it, if there is one. */
  link?: string | undefined;
}

export const MCP_PATH = "/v1/mcp/";

/** Every path of the MCP server: people type its address in these ways, and some clients cut the slash off. */
export const MCP_PATHS: readonly string[] = [MCP_PATH, "/v1/mcp", "/mcp/", "/mcp"];

/** @param base the appliance's address, without a trailing slash */
export function mcpAddress(base: string): string {
  return base + MCP_PATH;
}

/** The MCP server's address, given either that, in any spelling, or the appliance's. */
export function mcpAddressOf(url: string): string {
  return /\/mcp\/?$/.test(url) ? url : mcpAddress(url.replace(/\/+$/, ""));
}

/**
 * Snippets for each kind of assistant, with address and key filled in.
 * @param base as for `mcpAddress`
 * @param key `KEY_PLACE` if none is known
 */
export function connectSnippets(base: string, key: string = KEY_PLACE): readonly ConnectSnippet[] {
  const url = mcpAddress(base);
  const headers = { Authorization: `Bearer ${key}` };
  const hasKey = key !== KEY_PLACE;
  const inputs = hasKey ? undefined : [VS_CODE_INPUT];
  // biome-ignore lint/suspicious/noTemplateCurlyInString: VS Code fills it in
  const prompted = { Authorization: "Bearer ${input:kanalog-key}" };
  const vsCode = { type: "http", url, headers: hasKey ? headers : prompted };
  const packed = encodeURIComponent(Buffer.from(json({ url, headers }, 0)).toString("base64"));
  return [
    {
      id: "claude-code",
      name: "Claude Code",
      text: `claude mcp add --transport http kanalog ${url} --header "Authorization: Bearer ${key}"`,
    },
    {
      id: "claude-desktop",
      name: "Claude Desktop",
      text: `${base}/docs/mcp/kanalog.mcpb`,
    },
    {
      id: "cursor",
      name: "Cursor",
      files: [".cursor/mcp.json"],
      text: json({ mcpServers: { kanalog: { url, headers } } }),
      link: hasKey
        ? `cursor://anysphere.cursor-deeplink/mcp/install?name=kanalog&config=${packed}`
        : undefined,
    },
    {
      id: "vs-code",
      name: "VS Code",
      files: [".vscode/mcp.json"],
      text: json({ inputs, servers: { kanalog: vsCode } }),
      link: `vscode:mcp/install?${encodeURIComponent(json({ name: "kanalog", inputs, ...vsCode }, 0))}`,
    },
    {
      id: "lm-studio",
      name: "LM Studio",
      files: ["mcp.json"],
      text: json({ mcpServers: { kanalog: { url, headers } } }),
      link: hasKey ? `lmstudio://add_mcp?name=kanalog&config=${packed}` : undefined,
    },
    {
      id: "codex",
      name: "Codex",
      files: ["~/.codex/config.toml"],
      text: `[mcp_servers.kanalog]\nurl = "${url}"\nhttp_headers = { Authorization = "Bearer ${key}" }`,
    },
    {
      id: "zed",
      name: "Zed",
      files: ["settings.json"],
      text: json({ context_servers: { kanalog: { url, headers } } }),
    },
    {
      id: "bridge",
      name: "Assistants that only start programs",
      text: json({
        mcpServers: {
          kanalog: {
            command: "node",
            args: ["/path/to/kanalog/server.mjs"],
            env: { KANALOG_URL: base, KANALOG_KEY: key },
          },
        },
      }),
    },
    {
      id: "curl",
      name: "By hand",
      text: `curl -H "Authorization: Bearer ${key}" -d '{"jsonrpc":"2.0","id":1,"method":"tools/list"}' ${url}`,
    },
  ];
}

/** VS Code prompts for the key and stores it. */
const VS_CODE_INPUT = {
  type: "promptString",
  id: "kanalog-key",
  description: "Kanalog key",
  password: true,
};

function json(value: object, indent = 2): string {
  return JSON.stringify(value, null, indent);
}
