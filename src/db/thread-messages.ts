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
  cause: string | null;
  /** The statement that failed, where one did. */
  sql: string | null;
}

/** Errors lose their class on the way between threads, so they travel as data. */
export function toFault(thrown: unknown): Fault {
  const error = toAppError(thrown);
  const { code, said, faults, retryAfterS, cause: reason } = error;
  const cause = reason === undefined ? null : textOf(reason);
  return { code, said, faults, retryAfterS, cause, sql: sqlOf(error) };
}

export function fromFault({ code, said, faults, retryAfterS, cause: text, sql }: Fault): Error {
  const statement = sql === null ? {} : { cause: new FailedStatement(sql) };
  if (code === "internal") return new Error(text ?? code, statement);
  // An error too, since the log tells no other causes.
  const cause = text === null ? null : new Error(text, statement);
  return new AppError(code, said, {
    ...(cause !== null && { cause }),
    ...(faults !== undefined && { faults }),
    ...(retryAfterS !== undefined && { retryAfterS }),
  });
}

function textOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
