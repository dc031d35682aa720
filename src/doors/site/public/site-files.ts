import type { Config } from "../../../config.ts";
import { LANGUAGES } from "../../../values/messages/messages.ts";
import { DAY_MS } from "../../../values/moscow-time.ts";
import { inLanguage } from "./reader.tsx";

/** Files that programs look for at fixed addresses. */

/** `robots.txt`: lets search engines read everything but pages of customers, staff, and results of searches. */
export function robotsText(address: string): string {
  const { pathname } = new URL(`${address}/`);
  const closed = ["account/", "staff/", "v1/", "operator/", "c/?q=", "en/c/?q="];
  return [
    "User-agent: *",
    ...closed.map((path) => `Disallow: ${pathname}${path}`),
    `Allow: ${pathname}account/assets/`,
    "",
    `Sitemap: ${address}/sitemap.xml`,
    "",
  ].join("\n");
}

/** A guide to the site for language models (llmstxt.org). */
export function llmsText(address: string, { brand }: Pick<Config, "brand">): string {
  return `# ${brand}

> A catalog of a messenger's channels: cards, subscribers, growth, daily statistics and posts, as pages for people and as an API.

Pages are in Russian under \`/c/\` and in English under \`/en/c/\`. The API and the MCP server need a key.

## Catalog

- [Leaders and categories](${address}/en/c/): the largest and the fastest-growing channels
- [A channel](${address}/en/c/HANDLE/): replace HANDLE by the channel's handle, without @
- [Site map](${address}/sitemap.xml): all channels

## API

- [Methods](${address}/docs/): what can be asked
- [OpenAPI document](${address}/docs/json): the same for programs
- [Connecting an assistant](${address}/docs/mcp/): the MCP server at ${address}/v1/mcp/
`;
}

/** RFC 9116 asks for an end within a year. */
const SECURITY_TEXT_DAYS = 180;

/** Whom to tell about a weakness (RFC 9116). @param contact an e-mail address or the address of a page */
export function securityText(address: string, contact: string, nowMs: number): string {
  const to = contact.includes("://") ? contact : `mailto:${contact}`;
  // Whole days, so that the answer stays the same.
  const day = Math.floor(nowMs / DAY_MS) + SECURITY_TEXT_DAYS;
  return `Contact: ${to}
Expires: ${new Date(day * DAY_MS).toISOString()}
Preferred-Languages: en, ru
Canonical: ${address}/.well-known/security.txt
`;
}

/** Site maps, as sitemaps.org describes them. */

const HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n';
const NAMESPACE = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"';

/** Most parts that an index may list. */
export const PARTS_MAX = 50_000;

/** @param addresses of other site maps */
export function sitemapIndex(addresses: readonly string[]): string {
  const maps = addresses.map((one) => `<sitemap><loc>${Bun.escapeHTML(one)}</loc></sitemap>`);
  return `${HEAD}<sitemapindex ${NAMESPACE}>\n${maps.join("\n")}\n</sitemapindex>\n`;
}

/** @param paths of public pages, each of which has an address in each language */
export function sitemapOf(address: string, paths: readonly string[]): string {
  const urls = paths.flatMap((path) =>
    LANGUAGES.map(
      (language) => `<url><loc>${Bun.escapeHTML(address + inLanguage(language, path))}</loc></url>`,
    ),
  );
  return `${HEAD}<urlset ${NAMESPACE}>\n${urls.join("\n")}\n</urlset>\n`;
}
