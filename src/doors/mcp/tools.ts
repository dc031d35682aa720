import { channelPath } from "../../methods/channels.ts";
import type { ApiMethod } from "../../methods/method.ts";
import type { Parameter } from "../../methods/parameters.ts";
import { anyPart } from "../../methods/partial-result.ts";

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
      properties: Object.fromEntries(named.map(([name, parameter]) => [name, flat(parameter)])),
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
function flat({ schema }: Parameter<unknown>): object {
  const { type, enum: options, minimum, maximum, default: usual, examples } = schema;
  const words = [schema.description ?? ""];
  if (usual !== undefined) words.push(`${JSON.stringify(usual)} where not given.`);
  // The options are examples enough.
  const [example] = (options === undefined ? (examples ?? []) : []) as unknown[];
  if (example !== undefined) words.push(`Example: ${JSON.stringify(example)}.`);
  return {
    // A model has a channel's number as often as its handle.
    type: schema === channelPath.schema ? ["string", "integer"] : type,
    ...(options !== undefined && { enum: options }),
    ...(minimum !== undefined && { minimum }),
    ...(maximum !== undefined && { maximum }),
    description: words.join(" "),
  };
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
