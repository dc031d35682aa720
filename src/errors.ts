import { shortened } from "./values/fields.ts";
import { inEnglish, type Message, message, type Thing } from "./values/messages/messages.ts";

/**
 * Errors that stop a request or a command. Each has a message that is safe to show to the caller and, if
 * there is one, a private cause for the log only. `verbs/method.ts` maps codes to HTTP statuses.
 */
export type ErrorCode =
  | "invalid"
  | "not_authenticated"
  | "authentication_failed"
  | "read_only_key"
  | "manager_required"
  | "permission_denied"
  | "origin_not_allowed"
  | "tariff_required"
  | "not_found"
  | "method_not_allowed"
  | "conflict"
  | "in_progress"
  | "answer_lost"
  | "parse_error"
  | "unsupported_media_type"
  | "payload_too_large"
  | "rate_limited"
  | "throttled"
  | "quota_exceeded"
  | "timeout"
  | "unavailable"
  | "internal";

/** Faults by field, in the order they were found (specification, section 7). */
export type FieldFaults = Record<string, Message[]>;

/** Faults by field, translated into one language. */
export type FieldErrors = Record<string, string[]>;

export class AppError extends Error {
  override readonly name = "AppError";

  constructor(
    readonly code: ErrorCode,
    /** The public message; for an error over fields, the first fault. */
    readonly publicMessage: Message,
    options: { cause?: unknown; faults?: FieldFaults; retryAfterS?: number } = {},
  ) {
    const fields = options.faults && translated(options.faults);
    const detail = fields === undefined ? inEnglish(publicMessage) : onOneLine(fields);
    super(detail, { cause: options.cause });
    this.detail = detail;
    this.faults = options.faults;
    this.fields = fields;
    this.retryAfterS = options.retryAfterS;
  }

  /** The public message, in English. */
  readonly detail: string;
  /** Only for `invalid`. */
  readonly faults: FieldFaults | undefined;
  /** The same faults, in English. */
  readonly fields: FieldErrors | undefined;
  /** Seconds after which a retry makes sense, at least 1; undefined if it never does. */
  readonly retryAfterS: number | undefined;
}

/** An `invalid` error over one or more fields; lists the first faults and counts the rest. */
export function fieldError(faults: FieldFaults): AppError {
  const [first = message("required")] = Object.values(faults).flat();
  return new AppError("invalid", first, { faults: boundedFaults(faults) });
}

/** No prototype, because a field may be named `__proto__`. */
function translated(faults: FieldFaults): FieldErrors {
  const fields: FieldErrors = Object.create(null);
  for (const [field, all] of Object.entries(faults)) fields[field] = all.map(shortInEnglish);
  return fields;
}

function shortInEnglish(fault: Message): string {
  return shortened(inEnglish(fault), MESSAGE_LENGTH_MAX);
}

function onOneLine(fields: FieldErrors): string {
  return Object.entries(fields)
    .map(([field, messages]) => `${field}: ${messages.join(" ")}`)
    .join(" ");
}

/** Answers to bad input stay small, both in number of messages and in bytes of JSON. */
const FAULTS_MAX = 20;
const FAULTS_BYTES_MAX = 3_900;
/** Longest message, in characters of up to two bytes each. */
const MESSAGE_LENGTH_MAX = 1_900;
/** Name under which faults of no particular field are listed (specification, section 7). */
const NON_FIELD = "non_field_errors";

/** As many of the first faults as fit, and a count of the rest. */
function boundedFaults(faults: FieldFaults): FieldFaults {
  const all = Object.entries(faults).flatMap(([field, ofField]) =>
    ofField.map((fault) => [shortened(field), fault] as const),
  );
  // No prototype, because a field may be named `__proto__`.
  const kept: FieldFaults = Object.create(null);
  let bytes = 0;
  for (const [at, [field, fault]] of all.entries()) {
    bytes += Buffer.byteLength(JSON.stringify([field, shortInEnglish(fault)]));
    const isLast = at === all.length - 1;
    if (bytes > FAULTS_BYTES_MAX || (at === FAULTS_MAX - 1 && !isLast)) {
      const more = message("moreFaults", { count: all.length - at });
      kept[NON_FIELD] = [...(kept[NON_FIELD] ?? []), more];
      return kept;
    }
    kept[field] = [...(kept[field] ?? []), fault];
  }
  return kept;
}

/** SQLite's codes for trouble with the storage or the machine, as opposed to a bug. */
const STORAGE_FAULT = /^SQLITE_(BUSY|LOCKED|FULL|IOERR|READONLY|CANTOPEN|CORRUPT|NOTADB|NOMEM)/;

/** Whether the storage is busy, full, read-only, damaged or missing, or out of memory. */
export function isStorageFault(thrown: unknown): boolean {
  return thrown instanceof Error && "code" in thrown && STORAGE_FAULT.test(String(thrown.code));
}

/** Explanations for the operator, by SQLite's code. */
const STORAGE_REASONS = [
  [/^SQLITE_(BUSY|LOCKED)/, "another process has locked it"],
  [/^SQLITE_FULL/, "the disk is full"],
  [/^SQLITE_READONLY/, "the file or its disk is read-only"],
  [/^SQLITE_(CORRUPT|NOTADB)/, "the file is damaged"],
  [/^SQLITE_NOMEM/, "there is too little memory"],
  [/^SQLITE_(IOERR|CANTOPEN)/, "the disk is full, read-only or failing"],
] as const;

/** Explains a storage fault to the operator, including SQLite's own message; null for other errors. */
export function storageReason(thrown: unknown): string | null {
  if (!(thrown instanceof Error) || !isStorageFault(thrown)) return null;
  const code = String((thrown as Error & { code?: unknown }).code);
  const [, reason] = STORAGE_REASONS.find(([codes]) => codes.test(code)) ?? [];
  return `${reason} (${thrown.message})`;
}

/** Converts anything thrown into an AppError; an unexpected error gets a fixed public message. */
export function toAppError(thrown: unknown): AppError {
  if (thrown instanceof AppError) return thrown;
  if (isStorageFault(thrown)) return storageUnavailable(thrown);
  return new AppError("internal", message("internal"), { cause: thrown });
}

/** An `unavailable` error with the generic public message. @param cause for the log only */
export function storageUnavailable(cause: unknown): AppError {
  return new AppError("unavailable", message("storageUnavailable"), { cause });
}

/**
 * Whether it is a `storageUnavailable` error: callers only see a generic message, so operators need the
 * cause.
 */
export function isStorageUnavailable(error: AppError): boolean {
  return error.publicMessage.code === "storageUnavailable";
}

/**
 * A `not_found` error. @param name the number or name that was looked up; omit it if the message has none
 */
export function notFound(thing: Thing, name?: string | number): AppError {
  return new AppError("not_found", message("notFound", { thing, name }));
}
