import type { Schema } from "../../values/schema.ts";
import * as shape from "../../values/schema.ts";
import type { ApiMethod } from "../../verbs/method.ts";
import { channelPath } from "../../verbs/methods/catalog-filter.ts";
import { anyPart } from "../../verbs/paging.ts";
import type { Parameter } from "../../verbs/parameters.ts";
import { appOf } from "./apps/apps.ts";

/**
 * A tool as `tools/list` describes it, derived from the method's declaration.
 * @param messenger its name, by which people look for tools
 */
export function describeTool(method: ApiMethod, messenger: string): object {
  const { operationId, title, tool = "", units, parameters } = method;
  const named = Object.entries<Parameter<unknown>>(parameters);
  const required = named.filter(([, parameter]) => parameter.required).map(([name]) => name);
  return {
    name: operationId,
    title,
    description: `${tool.replaceAll("{messenger}", messenger)} ${costOf(units)}`,
    inputSchema: {
      type: "object",
      properties: Object.fromEntries(
        named.map(([name, { schema }]) => [name, flat(schema, wordsOf(method, name, schema))]),
      ),
      ...(required.length > 0 && { required }),
      additionalProperties: false,
    },
    // Clients validate answers against it, including those reduced by `fields`.
    outputSchema: answerSchema(method),
    annotations: {
      title,
      readOnlyHint: true,
      destructiveHint: false,
      idempotentHint: true,
      openWorldHint: false,
    },
    ...appOf(operationId),
  };
}

function costOf(units: number): string {
  return units === 0 ? "Free." : `${units} unit.`;
}

/** Reduces a schema to what models use: types, bounds and descriptions. */
function flat(schema: Schema<unknown>, description: string): object {
  const { type, enum: options, minimum, maximum } = schema;
  return {
    // A model has a channel's number as often as its handle.
    type: schema === channelPath.schema ? ["string", "integer"] : type,
    ...(options !== undefined && { enum: options }),
    // That a count is not negative needs no saying.
    ...(minimum !== undefined && minimum !== 0 && { minimum }),
    ...(maximum !== undefined && { maximum }),
    description,
  };
}

function wordsOf(method: ApiMethod, name: string, schema: Schema<unknown>): string {
  if (name === "limit") {
    return `${String(method.toolDefaults?.args["limit"] ?? schema.default)} by default.`;
  }
  return argumentWords(method.operationId, name) ?? schema.description ?? "";
}

/**
 * Descriptions of arguments for models, which read all tools before their first call and pay for each
 * character in every conversation: shorter than in the documentation, and complete for each tool, because some
 * clients show a model one tool at a time. By argument.
 */
const WORDS: Readonly<Record<string, string>> = {
  channel: "Number, @handle or title.",
  channels: "Numbers, @handles or titles: 1,3.",
  category: "Code or name.",
  territory: "Code or name.",
  parent: "Code or name: what is right below.",
  subscribers_min: "At least so many.",
  subscribers_max: "At most so many.",
  a_plus: "With the A+ mark.",
  verified: "Verified by owners.",
  growth_30d_min: "At least so many.",
  reach_30d_min: "At least so many.",
  err_30d_min: "Least percent.",
  include: "Growth, reach, ads: about 400 characters.",
  ids: "Only these, in this order: 3,1.",
  cursor: "`next` of a page.",
  fields: "Only these: a,b.",
  from: "First day, YYYY-MM-DD.",
  to: "The last day.",
  is_ad: "Only ads, or none.",
  media: "Kind of media.",
  views_min: "At least so many.",
  id: "Number of the post.",
};

/** By tool and argument, where tools differ. */
const OWN_WORDS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  msgr_channels_resolve_retrieve: { q: "Link, @handle or messenger id." },
  msgr_channels_list: {
    q: "Part or words of a title or handle, 3 or more.",
    kind: "`chat`: group chats.",
    ordering: "Always descending.",
  },
  msgr_channels_stats_retrieve: {
    q: "Part or words of a title or handle, 3 or more.",
    kind: "`chat`: group chats.",
  },
  msgr_stats_daily_list: { from: "First day; 29 ago by default." },
  msgr_channels_compare_list: {
    from: "First day; 30 before `to`.",
    to: "Last day; by default the last read.",
  },
  msgr_channels_mentions_list: { kind: "Both by default." },
  msgr_territories_list: { kind: "Level of the tree." },
  msgr_posts_search_list: {
    q: "Words to find.",
    ordering: "`published_at`: oldest first.",
  },
  msgr_posts_search_stats: {
    q: "Words to count.",
    from: "First day; 29 before `to`.",
    group: "Length of a period.",
  },
  msgr_trends_list: { hours: "Last hours, 6 to 72." },
};

/** Words for an argument of a tool; null if the documentation's are used. */
function argumentWords(tool: string, argument: string): string | null {
  return OWN_WORDS[tool]?.[argument] ?? WORDS[argument] ?? null;
}

const NOTE = shape.text("What to know about this answer");
const NEXT = shape.nullable(shape.text("`cursor` of the next page; null on the last"));

/** The answer as tools give it: with a note, and the bare cursor of the next page. */
function answerSchema(method: ApiMethod): unknown {
  const schema = anyPart(method);
  const properties = schema["properties"] as Record<string, unknown>;
  const next = "next" in properties ? { next: NEXT } : {};
  // Some methods have notes of their own, which may be null.
  return withoutNames({ ...schema, properties: { note: NOTE, ...properties, ...next } });
}

/** The schema with everything inlined, because a tool's schema cannot refer to another document. */
function withoutNames(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withoutNames);
  if (typeof schema !== "object" || schema === null) return schema;
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([name]) => name !== "$id" && name !== "examples")
      .map(([name, value]) => [name, withoutNames(value)]),
  );
}
