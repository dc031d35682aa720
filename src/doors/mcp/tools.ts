import { channelPath } from "../../methods/channels.ts";
import type { ApiMethod } from "../../methods/method.ts";
import type { Parameter } from "../../methods/parameters.ts";
import { anyPart } from "../../methods/partial-result.ts";
import { specifiedTools } from "../../methods/table.ts";
import type { Schema } from "../../values/schema.ts";

/** A tool as `tools/list` describes it, all read off the method's declaration. */
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
    // Clients hold answers to it, those with `fields` too.
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

/** Models read types, bounds and words; everything else of a schema is lost on them. */
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
 * The words for a model about a parameter; null where the tool's own words name the specification's tool
 * that has the very same one. A tool of ours names that one here otherwise: a model reads all tools before
 * its first call, and pays for each character in every talk.
 */
function wordsOf(method: ApiMethod, name: string, schema: Schema<unknown>): string | null {
  const alike = specifiedTools.find(({ parameters }) => parameters[name]?.schema === schema);
  if (alike !== undefined && !specifiedTools.includes(method)) {
    const { operationId } = alike;
    return method.tool?.includes(operationId) ? null : `As in ${operationId}.`;
  }
  const { enum: options, default: usual, examples, description = "" } = schema;
  const words = [description];
  if (usual !== undefined) words.push(`${JSON.stringify(usual)} where not given.`);
  // The options are examples enough.
  const [example] = (options === undefined ? (examples ?? []) : []) as unknown[];
  if (example !== undefined) words.push(`Example: ${JSON.stringify(example)}.`);
  return words.join(" ");
}

/** The schema whole, since a tool's schema can refer to no other document. */
function withoutNames(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withoutNames);
  if (typeof schema !== "object" || schema === null) return schema;
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([name]) => name !== "$id" && name !== "examples")
      .map(([name, value]) => [name, withoutNames(value)]),
  );
}
