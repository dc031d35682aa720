import type { ValueSchema } from "../../support/hostile-values.ts";
import { seededRandom } from "../../support/webhook-journey.ts";

/** A parameter of an operation, or a field of its body, as the OpenAPI document describes it. */
export interface Described {
  name: string;
  required: boolean;
  schema: ValueSchema;
  description?: string;
}

/**
 * Values whose cost no schema tells, by name: a function of the call's number, and of the longest list that the
 * description allows. Undefined leaves the argument out.
 */
export type Dear = Record<string, (at: number, longest: number, schema: ValueSchema) => unknown>;

/** Share of calls with an optional filter: fewer filters read more rows, and several of them fit no index. */
const FILTERED = 1 / 3;
const LONGEST_DEFAULT = 5_000;

/**
 * Arguments of one call, the dearest that are legal: limits at their maximum, all that may be included, each
 * ordering in turn, a different selection each time.
 */
export function dearest(
  described: readonly Described[],
  dear: Dear,
  at: number,
): Record<string, unknown> {
  const random = seededRandom(at);
  const pairs = described.map((one) => [one.name, dearValue(one, dear, { at, random })] as const);
  return Object.fromEntries(pairs.filter(([, value]) => value !== undefined));
}

function dearValue(
  { name, required, schema, description = "" }: Described,
  dear: Dear,
  { at, random }: { at: number; random: () => number },
): unknown {
  const isLeftOut = random() > FILTERED && !required;
  const given = dear[name];
  if (given !== undefined) {
    const longest = Number(/Up to (\d+)/i.exec(description)?.[1] ?? LONGEST_DEFAULT);
    return given(at, longest, schema);
  }
  const { enum: options, maximum, default: usual } = schema;
  if (options !== undefined) {
    const isAlways = options.length === 1 || usual !== undefined;
    return isLeftOut && !isAlways ? undefined : options[at % options.length];
  }
  if (maximum !== undefined) return maximum;
  if (isLeftOut) return undefined;
  switch (schema.type) {
    case "boolean":
      return random() < 0.5;
    case "integer":
    case "number":
      return at;
    default:
      return schema.examples?.[0];
  }
}
