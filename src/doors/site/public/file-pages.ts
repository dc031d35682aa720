import { keptBriefly } from "../../../values/kept-briefly.ts";
import type { Found, PublicContext, PublicPage } from "./public-routes.tsx";
import { categoryPath, territoryPath } from "./reader.tsx";
import {
  llmsText,
  PARTS_MAX,
  robotsText,
  securityText,
  sitemapIndex,
  sitemapOf,
} from "./site-files.ts";

/** Addresses of files for programs: they have one language. */

const TEXT = "text/plain; charset=utf-8";
const XML = "application/xml; charset=utf-8";
/** As long as their answers are kept: a channel that was hidden leaves the list with its page. */
const STARTS_KEPT_MS = 25_000;
/** Categories and territories on one site map, which may have 50,000 addresses in all. */
const FACETS_MAX = 20_000;

const file = (type: string, content: string): Found => ({ kind: "file", type, content });

export function filePages({ config, ports, partStarts }: PublicContext): PublicPage[] {
  const { contact } = config;
  const starts = keptBriefly(() => partStarts(PARTS_MAX), ports.clock.monotonic, STARTS_KEPT_MS);
  return [
    {
      path: "/robots.txt",
      hasOneLanguage: true,
      find: async ({ reader }) => file(TEXT, robotsText(reader.address)),
    },
    {
      path: "/llms.txt",
      hasOneLanguage: true,
      find: async ({ reader }) => file(TEXT, llmsText(reader.address, config)),
    },
    {
      path: "/.well-known/security.txt",
      hasOneLanguage: true,
      find: async ({ reader }) =>
        contact === null
          ? { kind: "missing" }
          : file(TEXT, securityText(reader.address, contact, ports.clock.now())),
    },
    {
      path: "/sitemap.xml",
      hasOneLanguage: true,
      async find({ reader }) {
        const parts = ["catalog", ...(await starts())];
        return file(
          XML,
          sitemapIndex(parts.map((part) => `${reader.address}/sitemap/${part}.xml`)),
        );
      },
    },
    {
      path: "/sitemap/:part",
      hasOneLanguage: true,
      async find({ reader: { address }, param }, context) {
        const part = param("part") ?? "";
        if (part === "catalog.xml") return file(XML, sitemapOf(address, catalogPaths(context)));
        const afterId = (await starts()).find((start) => part === `${start}.xml`);
        return afterId === undefined
          ? { kind: "missing" }
          : file(XML, await context.sitemapPart({ afterId, address }));
      },
    },
  ];
}

/** Pages that list channels. */
function catalogPaths({ services: { directory } }: PublicContext): string[] {
  return [
    "/c/",
    ...directory.categories().map(({ slug }) => categoryPath(slug)),
    ...directory.territories({}).map(({ slug }) => territoryPath(slug)),
  ].slice(0, FACETS_MAX);
}
