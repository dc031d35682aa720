/** @jsxImportSource hono/jsx */
import { raw } from "hono/html";
import type { Dataset, Graph, Thing } from "schema-dts";
import { withoutUnshown } from "../look/shown.tsx";
import { addressOf, type Reader } from "./reader.tsx";

/** Data about a page for search engines, in the vocabulary of schema.org, which the types check. */
export function JsonLd({ things }: { things: readonly Thing[] }) {
  const graph: Graph = { "@context": "https://schema.org", "@graph": things };
  // Within a script, only "<" could end it.
  const json = withoutUnshown(JSON.stringify(graph)).replaceAll("<", "\\u003c");
  return <script type="application/ld+json">{raw(json)}</script>;
}

/** The operator of the catalog. */
export function publisherOf({ address, brand }: Reader) {
  return {
    "@type": "Organization",
    "@id": `${address}/#publisher`,
    name: brand,
    url: `${address}/`,
    logo: `${address}/account/assets/mark`,
  } as const;
}

/** A page's data as a data set. @param description of at least 50 characters, as search engines demand */
export function datasetOf(
  reader: Reader,
  path: string,
  { name, description }: { name: string; description: string },
  measured: readonly string[],
): Exclude<Dataset, string> {
  return {
    "@type": "Dataset",
    "@id": `${addressOf(reader, path)}#data`,
    ...{ name, description, url: addressOf(reader, path), inLanguage: reader.language },
    isAccessibleForFree: true,
    creator: { "@id": `${reader.address}/#publisher` },
    variableMeasured: [...measured],
  };
}

/** Where a page is in the catalog, from the first page down. */
export function breadcrumbsOf(
  reader: Reader,
  steps: readonly (readonly [name: string, path: string])[],
) {
  return {
    "@type": "BreadcrumbList",
    itemListElement: steps.map(([name, path], at) => ({
      "@type": "ListItem" as const,
      position: at + 1,
      name,
      item: addressOf(reader, path),
    })),
  } as const;
}
