import { cardWithMetricsSchema } from "../../catalog/channels/stored-card.ts";
import { comparisonSchema } from "../../catalog/comparison/comparison.ts";
import { metricsSchema } from "../../catalog/metrics/metrics.ts";
import { postSchema } from "../../catalog/posts/post.ts";
import { dailyStatisticsSchema } from "../../catalog/statistics/statistics.ts";
import { isObject } from "../../values/json-text.ts";
import type { Schema } from "../../values/schema.ts";
import type { Services } from "../../verbs/services.ts";
import { LISTED_APPS, readApp } from "./apps/apps.ts";
import { plainJson } from "./error-text.ts";
import { invalidParams, type RpcFault, type RpcRequest } from "./json-rpc.ts";

/** Prompts: what a person picks from a menu, as a task that names the tools which answer it in few calls. */

interface Prompt {
  name: string;
  title: string;
  description: string;
  arguments: readonly { name: string; description: string; required: boolean }[];
  /** @param given its arguments, as texts */
  text(given: Readonly<Record<string, string>>): string;
}

const argument = (name: string, description: string) => ({ name, description, required: true });

const PROMPTS: readonly Prompt[] = [
  {
    name: "weekly_report",
    title: "Weekly report of channels",
    description: "Growth, views, advertising and the best posts of a week.",
    arguments: [argument("channels", "Numbers, @handles, links or titles, with commas")],
    text: ({ channels }) =>
      `Write a report of the last 7 days for the channels ${channels}: call msgr_channels_compare_list with ` +
      "`from` and `to` of these days once, and give for each channel subscribers and growth, posts and the share " +
      "of advertising, mean views and ERR, and the best post with its link. Say until which day there are readings.",
  },
  {
    name: "where_to_advertise",
    title: "Where to advertise for a budget",
    description: "Channels of a topic that are alive and read, for a number of contacts.",
    arguments: [
      argument("topic", "What is advertised, or a category"),
      argument("views", "How many views the budget is to buy"),
    ],
    text: ({ topic, views }) =>
      `Find channels to advertise ${topic} in, for ${views} views in all: call msgr_channels_list with the category, ` +
      "`ordering` -err_30d, `include` metrics and a `reach_30d_min` that leaves out those too small; leave out " +
      "channels whose `statistics_until` is older than a week, or with much advertising (`ads_30d` of `posts_30d`). " +
      "Give a list with mean views, ERR and share of advertising that adds up to these views.",
  },
  {
    name: "who_wrote_first",
    title: "Who wrote about something first",
    description: "The first, the most frequent and the most read posts about a topic.",
    arguments: [argument("topic", "Words to search for")],
    text: ({ topic }) =>
      `Find out who wrote about "${topic}" first, who most often, and what was read most: call ` +
      "msgr_posts_search_list with `ordering` published_at and `limit` 5, msgr_posts_search_stats with `group` month " +
      "and a year's `from` and `to` for who wrote most, and msgr_posts_search_list with `ordering` -views and `limit` " +
      "5; name the channels with msgr_channels_list and `ids`. Say what `note` and `sampled` say.",
  },
];

const LISTED_PROMPTS = PROMPTS.map(({ text: _, ...prompt }) => prompt);

/** A prompt as `prompts/get` answers it; or what is wrong with the request. */
function promptFor(
  name: unknown,
  given: Readonly<Record<string, unknown>>,
): { description: string; messages: object[] } | { fault: string } {
  const prompt = PROMPTS.find((one) => one.name === name);
  if (prompt === undefined) return { fault: "There is no such prompt." };
  const texts: Record<string, string> = {};
  for (const { name: needed } of prompt.arguments) {
    const value = given[needed];
    if (typeof value !== "string" || value.trim() === "") {
      return { fault: `${prompt.name} needs the argument "${needed}".` };
    }
    texts[needed] = value.slice(0, ARGUMENT_MAX);
  }
  const content = { type: "text", text: prompt.text(texts) };
  return { description: prompt.description, messages: [{ role: "user", content }] };
}

const ARGUMENT_MAX = 1_000;

/**
 * Answers what is beside tools, resources and prompts, in both eras; null for any other method.
 * @returns JSON text of the result's members, with braces
 */
export function answerBesideTools(
  { method, params = {} }: RpcRequest,
  services: Pick<Services, "directory">,
): { result: string } | { fault: RpcFault } | null {
  switch (method) {
    case "resources/list":
      return { result: JSON.stringify({ resources: LISTED_RESOURCES }) };
    case "resources/templates/list":
      return { result: JSON.stringify({ resourceTemplates: [] }) };
    case "resources/read": {
      const read = readResource(params["uri"], services);
      return read === null
        ? { fault: invalidParams("There is no such resource.") }
        : { result: plainJson(JSON.stringify(read)) };
    }
    case "prompts/list":
      return { result: JSON.stringify({ prompts: LISTED_PROMPTS }) };
    case "prompts/get": {
      const given = isObject(params["arguments"]) ? params["arguments"] : {};
      const found = promptFor(params["name"], given);
      return "fault" in found
        ? { fault: invalidParams(found.fault) }
        : { result: plainJson(JSON.stringify(found)) };
    }
    default:
      return null;
  }
}

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

const LISTED_RESOURCES: readonly Resource[] = [...OWN, ...LISTED_APPS];

/** A resource's contents as `resources/read` answers them; null for an unknown address. */
function readResource(
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
