/** The OpenAPI document as the reference reads it: methods, with their schemas' references resolved. */

// biome-ignore lint/suspicious/noExplicitAny: JSON Schema, read as the document of our own says it
export type JsonSchema = Record<string, any>;

export interface ApiDocument {
  paths: Record<string, Record<string, JsonSchema>>;
  components: { schemas: Record<string, JsonSchema> };
}

/** A method, with what a reader needs to know of it. */
export interface Operation {
  operationId: string;
  verb: string;
  path: string;
  tag: string;
  summary: string;
  description: string;
  parameters: {
    name: string;
    place: string;
    required: boolean;
    description: string;
    schema: JsonSchema;
    example: unknown;
  }[];
  snippets: { label: string; source: string }[];
  /** Null if there is no body, or it is a file. */
  answer: JsonSchema | null;
  example: unknown;
  errors: string[];
}

/** All methods, by tag in the document's order. */
export function methodsOf(document: ApiDocument): Operation[] {
  return Object.entries(document.paths).flatMap(([path, verbs]) =>
    Object.entries(verbs).map(([verb, of]) => operationOf(document, path, verb, of)),
  );
}

function operationOf(document: ApiDocument, path: string, verb: string, of: JsonSchema): Operation {
  const resolve = (schema: JsonSchema): JsonSchema => resolved(document, schema);
  const json = "application/json";
  const body = of["requestBody"]?.content?.[json];
  const fields = Object.entries<JsonSchema>(body?.schema.properties ?? {}).map(
    ([name, schema]) => ({
      ...{ name, place: "body", required: body.schema.required?.includes(name) ?? false },
      ...{ description: schema["description"] ?? "", schema, example: body.example?.[name] },
    }),
  );
  const [[, answer] = [], ...others] = Object.entries<JsonSchema>(of["responses"]);
  const content = answer?.["content"]?.[json];
  return {
    ...{ operationId: of["operationId"], verb, path, tag: of["tags"][0], summary: of["summary"] },
    description: of["description"],
    parameters: [
      ...of["parameters"].map(({ name, in: place, required, description, ...one }: JsonSchema) => ({
        ...{ name, place, required, description, schema: one["schema"], example: one["example"] },
      })),
      ...fields,
    ],
    snippets: of["x-codeSamples"] ?? [],
    answer: content === undefined ? null : resolve(content.schema),
    example: content?.example,
    errors: others.map(([status]) => status),
  };
}

/** A schema with its references replaced; none leads back to itself. */
function resolved(document: ApiDocument, schema: JsonSchema): JsonSchema {
  if (Array.isArray(schema)) return schema.map((one) => resolved(document, one));
  if (typeof schema !== "object" || schema === null) return schema;
  if (typeof schema["$ref"] === "string") {
    const name = schema["$ref"].split("/").at(-1) ?? "";
    return resolved(document, { ...document.components.schemas[name], ...without(schema) });
  }
  return Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [key, resolved(document, value)]),
  );
}

function without({ $ref: _, ...rest }: JsonSchema): JsonSchema {
  return rest;
}

/** Of the choices of a schema the first that is not null: with `fields` only the whole one is described. */
function main(schema: JsonSchema): JsonSchema {
  const choices: JsonSchema[] = schema["anyOf"] ?? schema["oneOf"] ?? [];
  return choices.find(({ type }) => type !== "null") ?? schema;
}

interface Field {
  /** With the names of what it is in, such as `limits.posts`. */
  name: string;
  type: string;
  description: string;
}

const DEPTH_MAX = 3;

/** Fields of an answer; of a list's items, beginning with `results[]`. */
export function fieldsOf(schema: JsonSchema | null, within = "", depth = 0): Field[] {
  if (schema === null || depth > DEPTH_MAX) return [];
  const { properties = {} } = main(schema);
  return Object.entries<JsonSchema>(properties).flatMap(([name, given]) => {
    const of = main(given);
    const isList = of["type"] === "array";
    const inner = isList ? main(of["items"] ?? {}) : of;
    const path = `${within}${name}${isList ? "[]" : ""}`;
    const description = given["description"] ?? of["description"] ?? "";
    return [
      { name: path, type: typeText(given), description },
      ...fieldsOf(inner, `${path}.`, depth + 1),
    ];
  });
}

/** The type of a value, for people. */
export function typeText(schema: JsonSchema): string {
  const choices: JsonSchema[] = schema["anyOf"] ?? schema["oneOf"] ?? [];
  if (choices.length > 0) return [...new Set(choices.map(typeText))].join(" | ");
  if (schema["enum"] !== undefined) return schema["enum"].map(String).join(" | ");
  if (schema["type"] === "array") return `[${typeText(schema["items"] ?? {})}]`;
  const type = [schema["type"] ?? "any"].flat().join(" | ");
  return schema["format"] === undefined ? type : `${type} (${schema["format"]})`;
}
