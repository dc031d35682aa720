import { createHash } from "node:crypto";
import { WORDS } from "../../../words/words.ts";
import styles from "./app.css" with { type: "text" };
// @ts-expect-error a script of the page, which is only put into it
import script from "./app.js" with { type: "text" };

/**
 * MCP Apps (extension `io.modelcontextprotocol/ui`, 2026-01-26): pages in which a host shows answers of tools.
 * Each is one text, which asks nobody for anything. Clients without the extension see what they see otherwise.
 */

/** The extension, as the server's capabilities name it. */
export const UI_EXTENSION = "io.modelcontextprotocol/ui";

const MIME_TYPE = "text/html;profile=mcp-app";

const APPS = [
  {
    name: "growth",
    title: "Growth of channels",
    description: "A channel's card, and its subscribers by day.",
    tools: ["msgr_channels_retrieve", "msgr_stats_daily_list"],
  },
  {
    name: "comparison",
    title: "Comparison of channels",
    description: "Growth, views and advertising side by side, and the best posts.",
    tools: ["msgr_channels_compare_list"],
  },
  {
    name: "word",
    title: "A word over time",
    description: "Posts by day, week or month, and the channels that write most; or found posts.",
    tools: ["msgr_posts_search_stats", "msgr_posts_search_list"],
  },
  {
    name: "posts",
    title: "Posts",
    description: "Posts with their views.",
    tools: ["msgr_channels_posts_retrieve", "msgr_channels_mentions_list"],
  },
  {
    name: "trends",
    title: "Trending words",
    description: "Words that far more channels use than usual, with their posts by hour.",
    tools: ["msgr_trends_list"],
  },
] as const;

type App = (typeof APPS)[number];

const uriOf = ({ name }: App): string => `ui://kanalog/${name}`;

/** What hosts read before they open a page: no address may be asked, in addition to the page's own policy. */
const META = { ui: { csp: {}, prefersBorder: true } };

export const LISTED_APPS = APPS.map((app) => {
  const { name, title, description } = app;
  return { uri: uriOf(app), name, title, description, mimeType: MIME_TYPE, _meta: META };
});

/** What a tool's description adds for hosts that show pages; undefined if it has none. */
export function appOf(tool: string): { _meta: object } | undefined {
  const app = APPS.find(({ tools }) => (tools as readonly string[]).includes(tool));
  return app && { _meta: { ui: { resourceUri: uriOf(app) } } };
}

/** An app's page as `resources/read` answers it; null for another address. */
export function readApp(uri: unknown): { contents: [object] } | null {
  const app = APPS.find((one) => uriOf(one) === uri);
  if (app === undefined) return null;
  return { contents: [{ uri, mimeType: MIME_TYPE, text: pageOf(app), _meta: META }] };
}

function pageOf({ name }: App): string {
  const words = { en: WORDS.en.apps, ru: WORDS.ru.apps };
  // A `<` in a text would begin the script's end.
  const given = JSON.stringify(words).replaceAll("<", "\\u003c");
  const code = `const VIEW="${name}";const WORDS=${given};\n${script}`;
  const policy = `default-src 'none'; script-src ${hashOf(code)}; style-src ${hashOf(styles)}; base-uri 'none'`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Kanalog</title>
<style>${styles}</style>
</head>
<body>
<main></main>
<script type="module">${code}</script>
</body>
</html>
`;
}

function hashOf(text: string): string {
  return `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
}
