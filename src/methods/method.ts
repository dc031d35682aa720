import type { BulkFile } from "../catalog/exports/bulk.ts";
import type { Actor } from "../customers/audit/audit-log.ts";
import type { Caller } from "../customers/keys/keys.ts";
import type { AppError, ErrorCode } from "../errors.ts";
import type { Json } from "../values/json-text.ts";
import type { Schema, ValueOf } from "../values/schema.ts";
import type { Position } from "./cursor.ts";
import type { Arguments, Parameters } from "./parameters.ts";
import type { PlanRule } from "./plan-rules.ts";
import type { RawArguments } from "./read-arguments.ts";
import type { Services } from "./services.ts";

/** An answer that is a file, sent while it is read. */
export class FileAnswer {
  constructor(
    readonly type: string,
    readonly headers: Readonly<Record<string, string>>,
    readonly file: BulkFile,
  ) {}
}

export type Verb = "GET" | "POST" | "PATCH" | "DELETE";

/** Whether a request of the verb may carry a JSON body that is read. */
export function takesBody(verb: Verb): boolean {
  return verb === "POST" || verb === "PATCH";
}

/** The path of a method's REST route with the values of a call. */
export function pathFor({ path }: ApiMethod, given: Readonly<Record<string, unknown>>): string {
  return path.replace(/:(\w+)/g, (_whole, name: string) => encodeURIComponent(String(given[name])));
}

/** The context in which a method runs, beside its arguments. */
export interface Call {
  services: Services;
  caller: Caller;
  /** Epoch milliseconds; one instant for the whole request. */
  nowMs: number;
  /** The position that the call's cursor holds, as `positionAfter` has it; null on the first page. */
  after(formerScope: string, fixed: Readonly<Record<string, string>>): Position | null;
  /** The address of the page after this position: every filter kept, with a cursor that carries them. */
  nextUrl(position: Position, fixed: Readonly<Record<string, string>>): string;
  /**
   * Charges another unit for an answer that is being sent already, at an instant. @returns why it cannot be, or null
   * once it is committed
   */
  chargeMore(nowMs: number): Promise<AppError | null>;
  /** The full address of a path that the appliance serves, such as an image's. */
  ownUrl(path: string): string;
}

/**
 * An API method, declared once: its REST route, its OpenAPI operation and its MCP tool are all
 * read off this object.
 */
export interface ApiMethod<
  P extends Parameters = Parameters,
  R extends Schema<unknown> = Schema<unknown>,
> {
  /** Also the name of the MCP tool (specification, section 4). */
  operationId: string;
  verb: Verb;
  path: `/v1/${string}/`;
  tag: string;
  title: string;
  description: string;
  /** For an MCP tool: what assistants are told beside the title and the cost. */
  tool?: string;
  /** Request units a call costs (specification, section 8). */
  units: 0 | 1;
  /** Who may call it: any key, or the read-and-write keys of owners and administrators. */
  audience: "everyone" | "managers";
  /** The plan must include this; otherwise the answer is 403 `tariff_required`. */
  planRule?: PlanRule;
  parameters: P;
  /** How large the JSON body of a request may be, where the verb takes one. */
  bodyBytesMax: number;
  /** A parameter that, where given, makes all others of the query ignored and unchecked. */
  soleParameter?: keyof P & string;
  /** Status of a successful answer; 204 has no body. */
  status: 200 | 201 | 204;
  result: R;
  /** The types of a file that is answered, the first by default; left out where JSON is. */
  fileTypes?: readonly string[];
  /** Errors of the method's own; those of keys, parameters and storage are common to all. */
  errors: readonly ErrorCode[];
  /** Refuses a call whatever else is wrong with it, before its arguments are read. @throws AppError */
  refuse?(raw: RawArguments, body: unknown, call: Pick<Call, "services" | "caller">): Promise<void>;
  run(
    args: Arguments<P>,
    call: Call,
  ): Json<ValueOf<R>> | FileAnswer | Promise<Json<ValueOf<R>> | FileAnswer>;
}

/** Defaults, which a declaration repeats only where it differs. */
const USUAL = {
  verb: "GET",
  audience: "everyone",
  status: 200,
  // A small object is all that most bodies are.
  bodyBytesMax: 16 * 1024,
} as const;
type Usual = keyof typeof USUAL;

/** Types a declaration: what `run` receives follows from `parameters`. */
export function apiMethod<P extends Parameters, R extends Schema<unknown>>(
  method: Omit<ApiMethod<P, R>, Usual> & Partial<Pick<ApiMethod<P, R>, Usual>>,
): ApiMethod {
  return { ...USUAL, ...method } as unknown as ApiMethod;
}

/** Something of the caller's organization, by its number. */
export function own(id: number, { caller }: Pick<Call, "caller">) {
  return { organizationId: caller.organization.id, id };
}

/** The caller, as whoever makes a change. */
export function actorOf({ caller }: Pick<Call, "caller">): Actor {
  return { person: caller.member.email, keyId: caller.key.id };
}
