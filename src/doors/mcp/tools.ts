import type { Schema } from "../../values/schema.ts";
import { channelPath } from "../../verbs/channel-named.ts";
import type { ApiMethod } from "../../verbs/method.ts";
import type { Parameter } from "../../verbs/parameters.ts";
import { anyPart } from "../../verbs/partial-result.ts";
import { specifiedTools } from "../../verbs/table.ts";

/** A tool as `tools/list` describes it, derived from the method's declaration. */
export function describeTool(method: ApiMethod): object {
  const { operationId, title, tool = "", units, parameters } = method;
  const named = Object.entries<Parameter<unknown>>(parameters);
  const required = named.filter(([, parameter]) => parameter.required).map(([name]) => name);
  return {
    name: operationId,
    title,
    description: `${tool} ${costOf(units)}`,
    inputSchema: {
      type: "object",
      properties: Object.fromEntries(
        named.map(([name, { schema }]) => [name, flat(schema, wordsOf(method, name, schema))]),
      ),
      ...(required.length > 0 && { required }),
      additionalProperties: false,
    },
    // Clients validate answers against it, including those reduced by `fields`.
    outputSchema: withoutNames(anyPart(method)),
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
function flat(schema: Schema<unknown>, description: string | null): object {
  const { type, enum: options, minimum, maximum } = schema;
  return {
    // A model has a channel's number as often as its handle.
    type: schema === channelPath.schema ? ["string", "integer"] : type,
    ...(options !== undefined && { enum: options }),
    ...(minimum !== undefined && { minimum }),
    ...(maximum !== undefined && { maximum }),
    ...(description !== null && { description }),
  };
}

/**
 * Description of a parameter for a model. Null if the tool's own description refers to the specification's
 * tool that has the very same parameter; otherwise our tools refer to that one here. A model reads all
 * tools before its first call, and pays for each character in every conversation.
 */
function wordsOf(method: ApiMethod, name: string, schema: Schema<unknown>): string | null {
  const alike = specifiedTools.find(({ parameters }) => parameters[name]?.schema === schema);
  if (alike !== undefined && !specifiedTools.includes(method)) {
    const { operationId } = alike;
    return method.tool?.includes(operationId) ? null : `As in ${operationId}.`;
  }
  const { enum: options, default: fallback, examples, description = "" } = schema;
  const words = [description];
  if (fallback !== undefined) words.push(`Default: ${JSON.stringify(fallback)}.`);
  // If there are options, no example is needed.
  const [example] = (options === undefined ? (examples ?? []) : []) as unknown[];
  if (example !== undefined) words.push(`Example: ${JSON.stringify(example)}.`);
  return words.join(" ");
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
