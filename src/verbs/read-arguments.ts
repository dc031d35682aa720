import { type FieldFaults, fieldError, notFound } from "../errors.ts";
import { type Read, typeName } from "../values/fields.ts";
import { message } from "../values/messages/messages.ts";
import type { Described } from "./method.ts";
import type { Parameter } from "./parameters.ts";

/** Stands for a text that is not valid UTF-8. */
export const UNDECODABLE = Symbol("bad UTF-8");

/** Arguments by parameter name, as texts or JSON values; absent if not given. */
export type RawArguments = Record<string, unknown>;

/**
 * Parses a request's input as the method's arguments.
 * @param mayMiss whether required arguments may be missing; they are then undefined
 * @throws AppError `invalid` with all faults at once; `not_found` for a fault in the path
 */
export function readArguments(
  { parameters, soleParameter }: Pick<Described, "parameters" | "soleParameter">,
  raw: RawArguments,
  body: unknown,
  { mayMiss = false }: { mayMiss?: boolean } = {},
): Record<string, unknown> {
  const args: Record<string, unknown> = {};
  // No prototype, because a field may have any name.
  const faults: FieldFaults = Object.create(null);
  const fields = readObject(body);
  for (const name of Object.keys(fields)) {
    if (parameters[name]?.in !== "body") faults[name] = [message("unknownField")];
  }
  const sole = soleParameter === undefined ? undefined : raw[soleParameter];
  // A sole parameter makes all others ignored, except those that shape the answer.
  const names =
    soleParameter !== undefined && sole !== undefined && sole !== ""
      ? [soleParameter, "fields", "include"]
      : Object.keys(parameters);
  for (const name of names) {
    const parameter = parameters[name];
    if (parameter === undefined) continue;
    const given = parameter.in === "body" ? fields[name] : raw[name];
    if (given === undefined || (given === "" && parameter.in !== "body")) {
      if (parameter.required && !mayMiss) faults[name] = [message("required")];
      args[name] = parameter.default;
      continue;
    }
    const read = readArgument(parameter, given);
    if ("value" in read) args[name] = read.value;
    else if (parameter.in === "path" && isText(given)) throw notFound("object");
    else faults[name] = [read.fault];
  }
  if (Object.keys(faults).length > 0) throw fieldError(faults);
  return args;
}

/**
 * Whether a path could contain the value. MCP may pass others, which are `invalid` rather than `not_found`.
 */
function isText(given: unknown): boolean {
  return given === UNDECODABLE || typeof given === "string" || typeof given === "number";
}

/** @throws AppError `invalid` for JSON that is not an object */
function readObject(body: unknown): Readonly<Record<string, unknown>> {
  if (typeof body === "object" && body !== null && !Array.isArray(body)) {
    return body as Record<string, unknown>;
  }
  const fault = message("notObject", { type: typeName(body) });
  throw fieldError({ non_field_errors: [fault] });
}

function readArgument(parameter: Parameter<unknown>, given: unknown): Read<unknown> {
  if (given === UNDECODABLE) return { fault: message("notUtf8") };
  if (given === null && parameter.takesNull !== true) return { fault: message("notNull") };
  if (typeof given === "string" && given.includes("\0")) {
    return { fault: message("nullCharacters") };
  }
  return parameter.read(given);
}
