import { toolMethods } from "../methods/table.ts";
import type { BaseAddress } from "./base-address.ts";
import { guidePage } from "./guide-page.ts";
import type { PublicRoutes } from "./public-routes.ts";

/** What a reader puts their key in the place of. */
const KEY = "YOUR_KEY";

/** `/docs/mcp/`: how assistants connect, with this appliance's own address filled in. */
export function mcpPageRoutes(baseAddress: BaseAddress): PublicRoutes {
  return {
    "/docs/mcp/": (request) => guidePage("Connecting an assistant", bodyOf(baseAddress(request))),
  };
}

function bodyOf(base: string): string {
  const url = `${base}/v1/mcp/`;
  const headers = { Authorization: `Bearer ${KEY}` };
  const tools = toolMethods.map(
    ({ operationId, title, units }) =>
      `<tr><td><code>${operationId}</code></td><td>${title}</td><td>${units}</td></tr>`,
  );
  return `<p>An assistant that speaks MCP (Model Context Protocol) reads this appliance's data at
<code>${Bun.escapeHTML(url)}</code> with an API key. A read-only key is enough: nothing can be changed
through MCP. Put yours in the place of <code>${KEY}</code>. Calls cost what the API's methods cost.</p>
<h2>Claude Code</h2>
${snippet(`claude mcp add --transport http kanalog ${url} --header "Authorization: Bearer ${KEY}"`)}
<h2>Claude Desktop</h2>
<p>Make the bundle <code>kanalog.mcpb</code> in Kanalog's folder with <code>bun run mcpb</code>, open it
with Claude Desktop, and give it the address <code>${Bun.escapeHTML(base)}</code> and your key.</p>
<h2>Cursor, LM Studio</h2>
<p><code>.cursor/mcp.json</code> or LM Studio's <code>mcp.json</code>:</p>
${json({ mcpServers: { kanalog: { url, headers } } })}
<h2>VS Code</h2>
<p><code>.vscode/mcp.json</code>; it asks for the key and keeps it:</p>
${json({
  inputs: [{ type: "promptString", id: "kanalog-key", description: "Kanalog key", password: true }],
  servers: {
    kanalog: {
      type: "http",
      url,
      // biome-ignore lint/suspicious/noTemplateCurlyInString: VS Code fills it in
      headers: { Authorization: "Bearer ${input:kanalog-key}" },
    },
  },
})}
<h2>Codex</h2>
<p><code>~/.codex/config.toml</code>, with the key in the environment variable
<code>KANALOG_KEY</code>:</p>
${snippet(`[mcp_servers.kanalog]\nurl = "${url}"\nbearer_token_env_var = "KANALOG_KEY"`)}
<h2>Zed</h2>
<p><code>settings.json</code>:</p>
${json({ context_servers: { kanalog: { url, headers } } })}
<h2>Assistants that only start programs</h2>
<p>The bridge <code>kanalog mcp</code> carries their messages from standard input here:</p>
${json({
  mcpServers: {
    kanalog: {
      command: "bun",
      args: ["/path/to/kanalog/src/main.ts", "mcp"],
      env: { KANALOG_URL: base, KANALOG_KEY: KEY },
    },
  },
})}
<h2>By hand</h2>
${snippet(
  `curl -H "Authorization: Bearer ${KEY}" -d '{"jsonrpc":"2.0","id":1,"method":"tools/list"}' ${url}`,
)}
<h2>Tools</h2>
<table><tr><th>Tool</th><th>What it does</th><th>Units</th></tr>${tools.join("\n")}</table>
<p>Both eras of the protocol are served: with the header
<code>MCP-Protocol-Version: 2026-07-28</code> the revision without a handshake, else 2025-11-25 and
older.</p>`;
}

function json(value: object): string {
  return snippet(JSON.stringify(value, null, 2));
}

function snippet(text: string): string {
  return `<pre><code>${Bun.escapeHTML(text)}</code></pre>`;
}
