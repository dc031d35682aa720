import { LANGUAGES } from "../../../values/messages/messages.ts";
import { inLanguage } from "./reader.tsx";

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
