import type { Thing } from "./values/messages/en.ts";
import { inEnglish, type Message, message } from "./values/messages/messages.ts";
import { shortened } from "./values/shortened.ts";

/**
 * Errors that stop a request or a command. Each carries a message that may be shown to the
 * caller and, where there is one, the private cause that only the log sees. What status a code
 * has is said in methods/statuses.ts.
 */
export type ErrorCode =
  | "invalid"
  | "not_authenticated"
  | "authentication_failed"
  | "read_only_key"
  | "manager_required"
  | "origin_not_allowed"
  | "tariff_required"
  | "not_found"
  | "method_not_allowed"
  | "conflict"
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

/** Faults by field, in the words of a language. */
export type FieldErrors = Record<string, string[]>;

export class AppError extends Error {
  override readonly name = "AppError";

  constructor(
    readonly code: ErrorCode,
    /** The message that may be told; for an error over fields, the first of its faults. */
    readonly said: Message,
    options: { cause?: unknown; faults?: FieldFaults; retryAfterS?: number } = {},
  ) {
    const fields = options.faults && inWords(options.faults);
    const detail = fields === undefined ? inEnglish(said) : onOneLine(fields);
    super(detail, { cause: options.cause });
    this.detail = detail;
    this.faults = options.faults;
    this.fields = fields;
    this.retryAfterS = options.retryAfterS;
  }

  /** The public sentence, in English. */
  readonly detail: string;
  /** Set on `invalid` only. */
  readonly faults: FieldFaults | undefined;
  /** The faults in English. */
  readonly fields: FieldErrors | undefined;
  /** Seconds after which it is worth another try, at least 1; undefined where none is. */
  readonly retryAfterS: number | undefined;
}

/** An `invalid` error over one or more fields; the first faults are told, and how many more there are. */
export function fieldError(faults: FieldFaults): AppError {
  const [said = message("required")] = Object.values(faults).flat();
  return new AppError("invalid", said, { faults: boundedFaults(faults) });
}

/** Without a prototype, since a field may be called `__proto__`. */
function inWords(faults: FieldFaults): FieldErrors {
  const fields: FieldErrors = Object.create(null);
  for (const [field, said] of Object.entries(faults)) fields[field] = said.map(shortInEnglish);
  return fields;
}

function shortInEnglish(said: Message): string {
  return shortened(inEnglish(said), MESSAGE_LENGTH_MAX);
}

function onOneLine(fields: FieldErrors): string {
  return Object.entries(fields)
    .map(([field, messages]) => `${field}: ${messages.join(" ")}`)
    .join(" ");
}

/** Answers to bad input stay small: in messages, and in bytes of JSON. */
const FAULTS_MAX = 20;
const FAULTS_BYTES_MAX = 3_900;
/** Longest message in characters, of which each may take two bytes. */
const MESSAGE_LENGTH_MAX = 1_900;
const OF_NO_FIELD = "non_field_errors";

/** The first faults, as many as there is room for, and how many more there are. */
function boundedFaults(faults: FieldFaults): FieldFaults {
  const all = Object.entries(faults).flatMap(([field, said]) =>
    said.map((one) => [shortened(field), one] as const),
  );
  // Without a prototype, since a field may be called `__proto__`.
  const told: FieldFaults = Object.create(null);
  let bytes = 0;
  for (const [at, [field, said]] of all.entries()) {
    bytes += Buffer.byteLength(JSON.stringify([field, shortInEnglish(said)]));
    const isLast = at === all.length - 1;
    if (bytes > FAULTS_BYTES_MAX || (at === FAULTS_MAX - 1 && !isLast)) {
      const more = message("moreFaults", { count: all.length - at });
      told[OF_NO_FIELD] = [...(told[OF_NO_FIELD] ?? []), more];
      return told;
    }
    told[field] = [...(told[field] ?? []), said];
  }
  return told;
}

/** The driver's codes for what is wrong with the storage or the machine, and not with the program. */
const STORAGE_FAULT = /^SQLITE_(BUSY|LOCKED|FULL|IOERR|READONLY|CANTOPEN|CORRUPT|NOTADB|NOMEM)/;

/** Whether the storage is busy, full, read-only, damaged, or not there, or has no memory to work in. */
export function isStorageFault(thrown: unknown): boolean {
  return thrown instanceof Error && "code" in thrown && STORAGE_FAULT.test(String(thrown.code));
}

/** An operator's words for why the storage refuses, by the driver's code. */
const STORAGE_REASONS = [
  [/^SQLITE_(BUSY|LOCKED)/, "another process has locked it"],
  [/^SQLITE_FULL/, "the disk is full"],
  [/^SQLITE_READONLY/, "the file or its disk is read-only"],
  [/^SQLITE_(CORRUPT|NOTADB)/, "the file is damaged"],
  [/^SQLITE_NOMEM/, "there is too little memory"],
  [/^SQLITE_(IOERR|CANTOPEN)/, "the disk is full, read-only or failing"],
] as const;

/** Why the storage refuses, for the operator, with SQLite's own words; null for all other errors. */
export function storageReason(thrown: unknown): string | null {
  if (!(thrown instanceof Error) || !isStorageFault(thrown)) return null;
  const code = String((thrown as Error & { code?: unknown }).code);
  const [, reason] = STORAGE_REASONS.find(([codes]) => codes.test(code)) ?? [];
  return `${reason} (${thrown.message})`;
}

/** Makes an AppError of whatever was thrown: an unforeseen one gets a fixed public sentence. */
export function toAppError(thrown: unknown): AppError {
  if (thrown instanceof AppError) return thrown;
  if (isStorageFault(thrown)) return storageUnavailable(thrown);
  return new AppError("internal", message("internal"), { cause: thrown });
}

/** @param cause for the log */
export function storageUnavailable(cause: unknown): AppError {
  return new AppError("unavailable", message("storageUnavailable"), { cause });
}

/** Whether the error's sentence is the vague one for callers, so that operators need its cause. */
export function isStorageUnavailable(error: AppError): boolean {
  return error.said.code === "storageUnavailable";
}

/** @param name the number or name that was looked for; left out where the message has none */
export function notFound(thing: Thing, name?: string | number): AppError {
  return new AppError("not_found", message("notFound", { thing, name }));
}
