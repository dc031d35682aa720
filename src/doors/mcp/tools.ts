import { nullable, type Schema, textSchema } from "../../values/schema.ts";
import { channelPath } from "../../verbs/channel-named.ts";
import type { ApiMethod } from "../../verbs/method.ts";
import type { Parameter } from "../../verbs/parameters.ts";
import { anyPart } from "../../verbs/partial-result.ts";
import { argumentWords } from "./argument-words.ts";

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
  };
}

function costOf(units: number): string {
  return units === 0 ? "Free." : `Costs ${units} request unit.`;
}

/** Reduces a schema to what models use: types, bounds and descriptions. */
function flat(schema: Schema<unknown>, description: string): object {
  const { type, enum: options, minimum, maximum } = schema;
  return {
    // A model has a channel's number as often as its handle.
    type: schema === channelPath.schema ? ["string", "integer"] : type,
    ...(options !== undefined && { enum: options }),
    ...(minimum !== undefined && { minimum }),
    ...(maximum !== undefined && { maximum }),
    description,
  };
}

function wordsOf(method: ApiMethod, name: string, schema: Schema<unknown>): string {
  if (name === "limit") {
    return `Items a page, ${String(method.toolDefaults?.args["limit"] ?? schema.default)} by default.`;
  }
  return argumentWords(method.operationId, name) ?? schema.description ?? "";
}

const NOTE = textSchema({ description: "What to know about this answer" });
const NEXT = nullable(textSchema({ description: "`cursor` of the next page; null on the last" }));

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
