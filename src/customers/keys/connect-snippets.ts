/** Stands in the snippets where readers put their key. */
export const KEY_PLACE = "YOUR_KEY";

/** How one kind of assistant is connected to the appliance. */
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
  /** Where the text goes; none for a command and an address. */
  files: readonly string[];
  text: string;
  /** An address that opens the assistant and adds the server to it; null where there is none. */
  link: string | null;
}

/** The path of the MCP server. */
export const MCP_PATH = "/v1/mcp/";

/** The MCP server's address. @param base the appliance's, without a slash at its end */
export function mcpAddress(base: string): string {
  return base + MCP_PATH;
}

/**
 * Snippets for each kind of assistant, with address and key filled in.
 * @param base as for `mcpAddress`
 * @param key `KEY_PLACE` where none is known
 */
export function connectSnippets(base: string, key: string = KEY_PLACE): readonly ConnectSnippet[] {
  const url = mcpAddress(base);
  const headers = { Authorization: `Bearer ${key}` };
  const hasKey = key !== KEY_PLACE;
  const inputs = hasKey ? undefined : [VS_CODE_INPUT];
  // biome-ignore lint/suspicious/noTemplateCurlyInString: VS Code fills it in
  const asked = { Authorization: "Bearer ${input:kanalog-key}" };
  const vsCode = { type: "http", url, headers: hasKey ? headers : asked };
  const packed = encodeURIComponent(Buffer.from(json({ url, headers }, 0)).toString("base64"));
  return [
    {
      id: "claude-code",
      name: "Claude Code",
      files: [],
      text: `claude mcp add --transport http kanalog ${url} --header "Authorization: Bearer ${key}"`,
      link: null,
    },
    {
      id: "claude-desktop",
      name: "Claude Desktop",
      files: [],
      text: `${base}/docs/mcp/kanalog.mcpb`,
      link: null,
    },
    {
      id: "cursor",
      name: "Cursor",
      files: [".cursor/mcp.json"],
      text: json({ mcpServers: { kanalog: { url, headers } } }),
      link: hasKey
        ? `cursor://anysphere.cursor-deeplink/mcp/install?name=kanalog&config=${packed}`
        : null,
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
      link: hasKey ? `lmstudio://add_mcp?name=kanalog&config=${packed}` : null,
    },
    {
      id: "codex",
      name: "Codex",
      files: ["~/.codex/config.toml"],
      text: `[mcp_servers.kanalog]\nurl = "${url}"\nhttp_headers = { Authorization = "Bearer ${key}" }`,
      link: null,
    },
    {
      id: "zed",
      name: "Zed",
      files: ["settings.json"],
      text: json({ context_servers: { kanalog: { url, headers } } }),
      link: null,
    },
    {
      id: "bridge",
      name: "Assistants that only start programs",
      files: [],
      text: json({
        mcpServers: {
          kanalog: {
            command: "node",
            args: ["/path/to/kanalog/server.mjs"],
            env: { KANALOG_URL: base, KANALOG_KEY: key },
          },
        },
      }),
      link: null,
    },
    {
      id: "curl",
      name: "By hand",
      files: [],
      text: `curl -H "Authorization: Bearer ${key}" -d '{"jsonrpc":"2.0","id":1,"method":"tools/list"}' ${url}`,
      link: null,
    },
  ];
}

/** VS Code asks for the key, and keeps it. */
const VS_CODE_INPUT = {
  type: "promptString",
  id: "kanalog-key",
  description: "Kanalog key",
  password: true,
};

function json(value: object, indent = 2): string {
  return JSON.stringify(value, null, indent);
}
