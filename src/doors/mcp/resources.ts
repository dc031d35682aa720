import { cardWithMetricsSchema } from "../../catalog/channels/stored-card.ts";
import { comparisonSchema } from "../../catalog/comparison/comparison.ts";
import { metricsSchema } from "../../catalog/metrics/metrics.ts";
import { postSchema } from "../../catalog/posts/post.ts";
import { dailyStatisticsSchema } from "../../catalog/statistics/statistics.ts";
import type { Schema } from "../../values/schema.ts";
import type { Services } from "../../verbs/services.ts";
import { LISTED_APPS, readApp } from "./apps/apps.ts";

/** Resources, which a person hands to an assistant or a program shows beside a conversation. Free, as the directories. */

interface Resource {
  uri: string;
  name: string;
  title: string;
  description: string;
  mimeType: string;
}

const RESOURCES = {
  categories: {
    uri: "kanalog://categories",
    name: "categories",
    title: "Categories",
    description: "Codes, Russian names and numbers of channels, one category a line.",
    mimeType: "text/tab-separated-values",
  },
  territories: {
    uri: "kanalog://territories",
    name: "territories",
    title: "Territories",
    description: "Codes, Russian names, levels and parents, one territory a line.",
    mimeType: "text/tab-separated-values",
  },
  guide: {
    uri: "kanalog://guide",
    name: "guide",
    title: "What the fields mean",
    description: "Fields of channels, metrics, days, posts and comparisons.",
    mimeType: "text/markdown",
  },
} as const satisfies Record<string, Resource>;

const OWN: readonly Resource[] = Object.values(RESOURCES);

export const LISTED_RESOURCES: readonly Resource[] = [...OWN, ...LISTED_APPS];

/** A resource's contents as `resources/read` answers them; null for an unknown address. */
export function readResource(
  uri: unknown,
  { directory }: Pick<Services, "directory">,
): { contents: [object] } | null {
  const of = OWN.find((one) => one.uri === uri);
  if (of === undefined) return readApp(uri);
  const text = TEXTS[of.uri]?.(directory) ?? "";
  return { contents: [{ uri: of.uri, mimeType: of.mimeType, text }] };
}

const TEXTS: Readonly<Record<string, (directory: Services["directory"]) => string>> = {
  [RESOURCES.categories.uri]: (directory) =>
    table(
      ["slug", "name", "channels"],
      directory.categories().map(({ slug, name, channels }) => [slug, name, channels]),
    ),
  [RESOURCES.territories.uri]: (directory) =>
    table(
      ["slug", "name", "kind", "parent"],
      directory
        .territories({})
        .map(({ slug, name, kind, parent }) => [slug, name, kind, parent ?? ""]),
    ),
  [RESOURCES.guide.uri]: () => GUIDE,
};

function table(head: readonly string[], rows: readonly (string | number)[][]): string {
  const line = (cells: readonly (string | number)[]) =>
    cells.map((cell) => String(cell).replace(/[\t\n\r]/g, " ")).join("\t");
  return [head, ...rows].map(line).join("\n");
}

const GUIDE = [
  ["A channel", cardWithMetricsSchema],
  ["Its metrics", metricsSchema],
  ["A day", dailyStatisticsSchema],
  ["A post", postSchema],
  ["A comparison", comparisonSchema],
]
  .map(([title, schema]) => `## ${title}\n\n${fieldsOf(schema as Schema<unknown>)}`)
  .join("\n\n");

function fieldsOf({ properties }: Schema<unknown>): string {
  return Object.entries(properties as Record<string, Schema<unknown>>)
    .map(([name, schema]) => `- \`${name}\`: ${descriptionOf(schema)}`)
    .join("\n");
}

/** The description of a field, or of what it is if it is not null. */
function descriptionOf(schema: Schema<unknown>): string {
  const { description, anyOf } = schema as { description?: string; anyOf?: Schema<unknown>[] };
  if (description !== undefined) return description;
  const [first] = anyOf ?? [];
  return first === undefined ? String(schema["type"] ?? "") : descriptionOf(first);
}
