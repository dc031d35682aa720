import type { AppError } from "../../errors.ts";
import type { Outcome } from "../../methods/call.ts";
import type { ApiMethod } from "../../methods/method.ts";
import { STATUS_OF } from "../../methods/statuses.ts";
import { jsonTextOf } from "../../values/json-text.ts";
import { quoted } from "./protocol-faults.ts";

/** A tool call's arguments checked, and its result as JSON text. */

/** The fault that a call's arguments have before its method reads them, or null. */
export function argumentsFault(
  { parameters, operationId }: ApiMethod,
  given: Record<string, unknown>,
): string | null {
  for (const name of Object.keys(given)) {
    if (!Object.hasOwn(parameters, name)) {
      const known = Object.keys(parameters).join(", ") || "none";
      return `${operationId} has no argument ${quoted(name)}; it takes: ${known}.`;
    }
  }
  for (const [name, parameter] of Object.entries(parameters)) {
    if (parameter.required && !Object.hasOwn(given, name)) {
      return `${operationId} needs the argument ${JSON.stringify(name)}.`;
    }
    const value = Object.hasOwn(given, name) ? given[name] : undefined;
    if (parameter.in === "path" && typeof value === "string" && /[/?#]/.test(value)) {
      return `${JSON.stringify(name)} must not contain /, ? or #.`;
    }
  }
  return null;
}

/** @param common members that every result of the era has, with a comma behind */
export function toolResult(common: string, method: ApiMethod, outcome: Outcome): string {
  if (!outcome.ok) return errorResult(common, method, outcome.error);
  const body = jsonTextOf(outcome.body);
  return (
    `{${common}"content":[{"type":"text","text":${JSON.stringify(body)}}],` +
    `"structuredContent":${body},"isError":false}`
  );
}

/** The result of a method that failed; without structured content, so that its text is read. */
export function errorResult(common: string, method: ApiMethod | null, error: AppError): string {
  const text = `${STATUS_OF[error.code]} ${error.code}: ${detailOf(method, error)}`;
  return `{${common}"content":[{"type":"text","text":${JSON.stringify(text)}}],"isError":true}`;
}

/** One `argument: message` after another; a choice says what it takes. */
function detailOf(method: ApiMethod | null, { fields, detail }: AppError): string {
  if (fields === undefined) return detail;
  return Object.entries(fields)
    .map(([name, messages]) => {
      const options: unknown = method?.parameters[name]?.schema["enum"];
      const allowed = Array.isArray(options) ? ` Allowed: ${options.join(", ")}.` : "";
      return `${name}: ${messages.join(" ")}${allowed}`;
    })
    .join(" ");
}
