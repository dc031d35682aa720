import { AppError, type ErrorCode, type FieldFaults, toAppError } from "../errors.ts";
import type { Message } from "../values/messages/messages.ts";
import type { NodeSettings } from "./cluster/link.ts";
import type { Access } from "./open-database.ts";
import { FailedStatement, sqlOf } from "./statement.ts";

/** The connection that a thread opens. */
export interface Opening {
  /** Name of the thread's pool. */
  pool: string;
  path: string;
  access: Access;
  /** Null where the file is an appliance by itself. */
  cluster: NodeSettings | null;
}

/** The main thread's messages: the first one says what to open, the last one that it ends. */
export type ToThread =
  | { open: Opening }
  | { name: string; rest: unknown[]; timeoutMs: number | null }
  | { end: true };

/** A thread's messages: the outcome of its one task, and each lock held and slow statement of it. */
export type FromThread =
  | { result: unknown }
  | { fault: Fault }
  | { held: { work: string; heldMs: number } }
  | { slow: { sql: string; tookMs: number } };

interface Fault {
  code: ErrorCode;
  said: Message;
  faults: FieldFaults | undefined;
  retryAfterS: number | undefined;
  /** The private cause; null for an error that the caller was to expect. */
  cause: { message: string; stack: string } | null;
  /** The statement that failed, where one did. */
  sql: string | null;
}

/** Errors lose their class on the way between threads, so they travel as data. */
export function toFault(thrown: unknown): Fault {
  const error = toAppError(thrown);
  const { code, said, faults, retryAfterS, cause: reason } = error;
  const cause = reason === undefined ? null : describe(reason);
  return { code, said, faults, retryAfterS, cause, sql: sqlOf(error) };
}

export function fromFault({ code, said, faults, retryAfterS, cause: reason, sql }: Fault): Error {
  // An error too, since the log tells no other causes.
  const cause = reason === null ? null : errorOf(reason, sql);
  if (code === "internal") return cause ?? new Error(code);
  return new AppError(code, said, {
    ...(cause !== null && { cause }),
    ...(faults !== undefined && { faults }),
    ...(retryAfterS !== undefined && { retryAfterS }),
  });
}

function describe(error: unknown): { message: string; stack: string } {
  if (!(error instanceof Error)) return { message: String(error), stack: String(error) };
  return { message: error.message, stack: error.stack ?? error.message };
}

/** @param reason its stack is that of the thread */
function errorOf(reason: { message: string; stack: string }, sql: string | null): Error {
  const statement = sql === null ? {} : { cause: new FailedStatement(sql) };
  return Object.assign(new Error(reason.message, statement), { stack: reason.stack });
}
