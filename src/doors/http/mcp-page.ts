import {
  type ConnectSnippet,
  connectSnippets,
  KEY_PLACE,
  mcpAddress,
} from "../../customers/keys/connect-snippets.ts";
import { toolMethods } from "../../methods/table.ts";
import type { BaseAddress } from "./base-address.ts";
import { guidePage } from "./guide-page.ts";
import type { PublicRoutes } from "./public-routes.ts";

/** `/docs/mcp/`: how assistants connect, with this appliance's own address filled in. */
export function mcpPageRoutes(baseAddress: BaseAddress): PublicRoutes {
  return {
    "/docs/mcp/": (request) => guidePage("Connecting an assistant", bodyOf(baseAddress(request))),
  };
}

function bodyOf(base: string): string {
  const tools = toolMethods.map(
    ({ operationId, title, units }) =>
      `<tr><td><code>${operationId}</code></td><td>${title}</td><td>${units}</td></tr>`,
  );
  return `<p>An assistant that speaks MCP (Model Context Protocol) reads this appliance's data at
<code>${Bun.escapeHTML(mcpAddress(base))}</code> with an API key. A read-only key is enough: nothing can be changed
through MCP. Put yours in the place of <code>${KEY_PLACE}</code>. Calls cost what the API's methods cost.</p>
${connectSnippets(base)
  .map((snippet) => sectionOf(snippet, base))
  .join("\n")}
<h2>Tools</h2>
<table><tr><th>Tool</th><th>What it does</th><th>Units</th></tr>${tools.join("\n")}</table>
<p>Both eras of the protocol are served: with the header
<code>MCP-Protocol-Version: 2026-07-28</code> the revision without a handshake, else 2025-11-25 and
older.</p>`;
}

function sectionOf({ id, name, files, text }: ConnectSnippet, base: string): string {
  const places = files.map((file) => `<code>${file}</code>`).join(" or ");
  const note = noteOf(id, base);
  const introduction = [places, note].filter((part) => part !== "").join(": ");
  return `<h2>${name}</h2>
${introduction === "" ? "" : `<p>${introduction}</p>`}
<pre><code>${Bun.escapeHTML(text)}</code></pre>`;
}

/** What a snippet does not say by itself, as HTML. */
function noteOf(id: ConnectSnippet["id"], base: string): string {
  switch (id) {
    case "claude-desktop":
      return `Make the bundle <code>kanalog.mcpb</code> in Kanalog's folder, open it with Claude
Desktop, and give it the address <code>${Bun.escapeHTML(base)}</code> and your key.`;
    case "vs-code":
      return "it asks for the key and keeps it.";
    case "codex":
      return "with the key in the environment variable <code>KANALOG_KEY</code>.";
    case "bridge":
      return "The bridge <code>kanalog mcp</code> carries their messages from standard input here.";
    default:
      return "";
  }
}
