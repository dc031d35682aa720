import { PROSE_POLICY, type PublicRoutes, pageResponse } from "../public-routes.ts";
import { framedPage } from "./frame.ts";
import type { Guide } from "./guide.ts";

const HEAD = `<link rel="stylesheet" href="account/assets/site.css">
<link rel="stylesheet" href="docs/guide.css">`;

const bodyOf = (brand: string) => `<h1>${Bun.escapeHTML(brand)}</h1>
<p>A Channel Data API runs here: the catalog of a messenger's channels, their cards, daily
statistics and posts, as JSON over HTTP, with an API key; new posts as webhooks.</p>
<ul>
<li><a href="account/">Account</a>: keys, usage, webhooks, members; for staff, the <a href="staff/">console</a></li>
<li><a href="docs/">API methods</a>: each to read and to try</li>
<li><a href="docs/mcp/">Connecting an assistant</a>: MCP, with snippets for the usual programs</li>
<li><a href="docs/webhooks/">Receiving webhooks</a>: how to check what comes, with receivers to copy</li>
<li><a href="docs/json">OpenAPI document</a>: for generating a client</li>
<li><a href="healthz">healthz</a> and <a href="readyz">readyz</a>: for monitoring</li>
</ul>`;

/** `/`: what runs here, and where to go. */
export function startPageRoutes(guides: readonly Guide[], brand: string): PublicRoutes {
  const page = framedPage({
    brand,
    title: "",
    language: "en",
    root: "./",
    guides,
    current: null,
    languages: ["en"],
    query: "",
    head: HEAD,
    body: bodyOf(brand),
  });
  return { "/": () => pageResponse(page, PROSE_POLICY) };
}
