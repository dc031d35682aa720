import type { Static, TSchema } from "elysia";
import type { ErrorCode } from "../errors.ts";
import type { JsonText } from "../json-text.ts";
import type { Caller } from "../keys/keys.ts";
import type { Arguments, Parameters } from "./parameters.ts";
import type { Services } from "./services.ts";

/** What a method is given beside its arguments. */
export interface Call {
  services: Services;
  caller: Caller;
  /** Epoch milliseconds; one instant for the whole request. */
  nowMs: number;
  /** The address of the page after this one: every filter kept, with this cursor. */
  nextUrl(cursor: string): string;
}

/**
 * An API method, declared once: its REST route, its OpenAPI operation and its MCP tool are all
 * read off this object.
 */
export interface ApiMethod<P extends Parameters = Parameters, R extends TSchema = TSchema> {
  /** Also the name of the MCP tool (specification, section 4). */
  operationId: string;
  path: `/v1/${string}/`;
  tag: string;
  title: string;
  description: string;
  /** Request units a call costs (specification, section 8). */
  units: 0 | 1;
  /** The part of a plan without which the method is closed: 403 `tariff_required`. */
  feature?: "posts";
  parameters: P;
  /** Where this one is given, all other query parameters are ignored, unchecked. */
  soleParameter?: keyof P & string;
  result: R;
  /** Errors of the method's own; those of keys, parameters and storage are common to all. */
  errors: readonly ErrorCode[];
  run(args: Arguments<P>, call: Call): JsonText<Static<R>> | Promise<JsonText<Static<R>>>;
}

/** Types a declaration: what `run` receives follows from `parameters`. */
export function apiMethod<P extends Parameters, R extends TSchema>(
  method: ApiMethod<P, R>,
): ApiMethod {
  return method as unknown as ApiMethod;
}
