import { AppError, type ErrorCode, type FieldFaults, toAppError } from "../errors.ts";
import type { Message } from "../values/messages/messages.ts";
import type { NodeSettings } from "./shared-rows.ts";
import { FailedStatement, sqlOf } from "./statement.ts";

/** Tells a thread what it serves. */
export interface Opening {
  /** Name of its lane. */
  lane: string;
  path: string;
  /** Null on a standalone appliance. */
  node: NodeSettings | null;
}

/** Messages to a thread: the first says what to open, the last tells it to end. */
export type ToThread =
  | { open: Opening }
  | { name: string; rest: unknown[]; timeoutMs: number | null }
  | { end: true };

/** Outcome of a task, and the processor time that it took. */
export type Outcome = ({ result: unknown } | { fault: Fault }) & { processorMs: number };

/** Messages from a thread: the outcome of its current task, and every lock hold and slow statement. */
export type FromThread =
  | Outcome
  | { held: { work: string; heldMs: number } }
  | { slow: { sql: string; tookMs: number } };

/** An error as plain data. */
export interface Fault {
  code: ErrorCode;
  publicMessage: Message;
  faults: FieldFaults | undefined;
  retryAfterS: number | undefined;
  /** The private cause; null for an error that callers are meant to see. */
  cause: { message: string; stack: string } | null;
  /** The statement that failed, if one did. */
  sql: string | null;
}

/** Converts an error to plain data, since errors lose their class between threads. */
export function toFault(thrown: unknown): Fault {
  const error = toAppError(thrown);
  const { code, publicMessage, faults, retryAfterS, cause: reason } = error;
  const cause = reason === undefined ? null : describe(reason);
  return { code, publicMessage, faults, retryAfterS, cause, sql: sqlOf(error) };
}

/** The error that `toFault` converted; its cause has the stack of the thread. */
export function fromFault({
  code,
  publicMessage,
  faults,
  retryAfterS,
  cause: reason,
  sql,
}: Fault): Error {
  // An Error again, because the log prints no other kind of cause.
  const cause = reason === null ? null : errorOf(reason, sql);
  if (code === "internal") return cause ?? new Error(code);
  return new AppError(code, publicMessage, {
    ...(cause !== null && { cause }),
    ...(faults !== undefined && { faults }),
    ...(retryAfterS !== undefined && { retryAfterS }),
  });
}

function describe(error: unknown): { message: string; stack: string } {
  if (!(error instanceof Error)) return { message: String(error), stack: String(error) };
  return { message: error.message, stack: error.stack ?? error.message };
}

/** @param reason with the stack of the thread */
function errorOf(reason: { message: string; stack: string }, sql: string | null): Error {
  const statement = sql === null ? {} : { cause: new FailedStatement(sql) };
  return Object.assign(new Error(reason.message, statement), { stack: reason.stack });
}
