/** Stands in the snippets where readers put their key. */
export const KEY_PLACE = "YOUR_KEY";

/** How one kind of assistant is connected to the appliance. */
export interface ConnectSnippet {
  id: "claude-code" | "claude-desktop" | "cursor" | "vs-code" | "codex" | "zed" | "bridge" | "curl";
  name: string;
  /** Where the text goes; none for a command. */
  files: readonly string[];
  text: string;
}

/** The MCP server's address. @param base the appliance's, without a slash at its end */
export function mcpAddress(base: string): string {
  return `${base}/v1/mcp/`;
}

/** For each kind of assistant, with the address filled in. @param base as for `mcpAddress` */
export function connectSnippets(base: string): readonly ConnectSnippet[] {
  const url = mcpAddress(base);
  const headers = { Authorization: `Bearer ${KEY_PLACE}` };
  return [
    {
      id: "claude-code",
      name: "Claude Code",
      files: [],
      text: `claude mcp add --transport http kanalog ${url} --header "Authorization: Bearer ${KEY_PLACE}"`,
    },
    { id: "claude-desktop", name: "Claude Desktop", files: [], text: "bun run mcpb" },
    {
      id: "cursor",
      name: "Cursor, LM Studio",
      files: [".cursor/mcp.json", "mcp.json"],
      text: json({ mcpServers: { kanalog: { url, headers } } }),
    },
    {
      id: "vs-code",
      name: "VS Code",
      files: [".vscode/mcp.json"],
      text: json({
        inputs: [
          { type: "promptString", id: "kanalog-key", description: "Kanalog key", password: true },
        ],
        servers: {
          kanalog: {
            type: "http",
            url,
            // biome-ignore lint/suspicious/noTemplateCurlyInString: VS Code fills it in
            headers: { Authorization: "Bearer ${input:kanalog-key}" },
          },
        },
      }),
    },
    {
      id: "codex",
      name: "Codex",
      files: ["~/.codex/config.toml"],
      text: `[mcp_servers.kanalog]\nurl = "${url}"\nbearer_token_env_var = "KANALOG_KEY"`,
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
      files: [],
      text: json({
        mcpServers: {
          kanalog: {
            command: "bun",
            args: ["/path/to/kanalog/src/main.ts", "mcp"],
            env: { KANALOG_URL: base, KANALOG_KEY: KEY_PLACE },
          },
        },
      }),
    },
    {
      id: "curl",
      name: "By hand",
      files: [],
      text: `curl -H "Authorization: Bearer ${KEY_PLACE}" -d '{"jsonrpc":"2.0","id":1,"method":"tools/list"}' ${url}`,
    },
  ];
}

function json(value: object): string {
  return JSON.stringify(value, null, 2);
}
