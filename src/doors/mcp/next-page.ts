import type { ApiMethod } from "../../verbs/method.ts";
import type { RawArguments } from "../../verbs/read-arguments.ts";

/** Follows the answer's results. Inside a text its quotes would be escaped, so it occurs nowhere else. */
const NEXT = '"next":';

/**
 * Says how to get the next page; null if there is none.
 * @param body the answer as JSON text, of which only the end is parsed
 */
export function nextPageText(
  { operationId, parameters }: ApiMethod,
  raw: RawArguments,
  body: string,
): string | null {
  if (parameters["cursor"] === undefined) return null;
  const cursor = /[?&]cursor=([\w-]+)/.exec(body.slice(body.lastIndexOf(NEXT)))?.[1];
  if (cursor === undefined) return null;
  const needed = Object.entries(parameters)
    .filter(([, { required }]) => required)
    .map(([name]) => [name, raw[name]]);
  const args = JSON.stringify({ ...Object.fromEntries(needed), cursor });
  return `For the next page call ${operationId} with ${args}.`;
}
