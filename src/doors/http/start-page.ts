import { PROSE_POLICY, type PublicRoutes, pageResponse } from "./public-routes.ts";

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Kanalog</title>
<link rel="icon" href="docs/favicon.png">
<style>
:root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif; }
body { max-width: 36rem; margin: 4rem auto; padding: 0 1rem; }
</style>
</head>
<body>
<h1>Kanalog</h1>
<p>A Channel Data API runs here: the catalog of a messenger's channels, their cards, daily
statistics and posts, as JSON over HTTP, with an API key; new posts as webhooks.</p>
<ul>
<li><a href="account/">Account</a>: keys, usage, webhooks, members; for staff, the <a href="staff/">console</a></li>
<li><a href="docs/">Documentation</a>: every method, to read and to try</li>
<li><a href="docs/mcp/">Connecting an assistant</a>: MCP, with snippets for the usual programs</li>
<li><a href="docs/webhooks/">Receiving webhooks</a>: how to check what comes, with receivers to copy</li>
<li><a href="docs/json">OpenAPI document</a>: for generating a client</li>
<li><a href="healthz">healthz</a> and <a href="readyz">readyz</a>: for monitoring</li>
</ul>
</body>
</html>
`;

/** `/`: what runs here, and where to go. */
export const startPageRoutes: PublicRoutes = {
  "/": () => pageResponse(PAGE, PROSE_POLICY),
};
