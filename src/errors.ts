/**
 * Errors that stop a request or a command. Each carries a sentence that may be shown to the
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

/** Messages by field, in the order they were found (specification, section 7). */
export type FieldErrors = Record<string, string[]>;

export class AppError extends Error {
  override readonly name = "AppError";

  constructor(
    readonly code: ErrorCode,
    /** The public sentence. */
    readonly detail: string,
    options: { cause?: unknown; fields?: FieldErrors; retryAfterS?: number } = {},
  ) {
    super(detail, { cause: options.cause });
    this.fields = options.fields;
    this.retryAfterS = options.retryAfterS;
  }

  /** Set on `invalid` only. */
  readonly fields: FieldErrors | undefined;
  /** Seconds after which it is worth another try, at least 1; undefined where none is. */
  readonly retryAfterS: number | undefined;
}

/** An `invalid` error over one or more fields, of which not more is told than anybody reads. */
export function fieldError(fields: FieldErrors): AppError {
  const told = boundedFaults(fields);
  const detail = Object.entries(told)
    .map(([field, messages]) => `${field}: ${messages.join(" ")}`)
    .join(" ");
  return new AppError("invalid", detail, { fields: told });
}

/** Answers to bad input stay small (limits-of-one, the rules): in messages, and in bytes of JSON. */
const FAULTS_MAX = 20;
const FAULTS_BYTES_MAX = 3_900;
/** A field may be called anything. */
const NAME_LENGTH_MAX = 100;
/** In characters, of which each may take two bytes. */
const MESSAGE_LENGTH_MAX = 1_900;
const OF_NO_FIELD = "non_field_errors";

/** The first faults, as many as there is room for, and how many more there are. */
function boundedFaults(fields: FieldErrors): FieldErrors {
  const all = Object.entries(fields).flatMap(([field, messages]) =>
    messages.map((message) => [shortened(field), shortened(message, MESSAGE_LENGTH_MAX)] as const),
  );
  // Without a prototype, since a field may be called `__proto__`.
  const told: FieldErrors = Object.create(null);
  let bytes = 0;
  for (const [at, [field, message]] of all.entries()) {
    bytes += Buffer.byteLength(JSON.stringify([field, message]));
    const isLast = at === all.length - 1;
    if (bytes > FAULTS_BYTES_MAX || (at === FAULTS_MAX - 1 && !isLast)) {
      const left = all.length - at;
      const more = left === 1 ? "There is 1 more fault." : `There are ${left} more faults.`;
      told[OF_NO_FIELD] = [...(told[OF_NO_FIELD] ?? []), more];
      return told;
    }
    told[field] = [...(told[field] ?? []), message];
  }
  return told;
}

/** A text for a message, cut where it is long: callers may send anything, of any size. */
export function shortened(text: string, lengthMax = NAME_LENGTH_MAX): string {
  if (text.length <= lengthMax) return text;
  return `${text.slice(0, lengthMax).replace(/[\ud800-\udbff]$/, "")}…`;
}

/** The driver's codes for what is wrong with the storage, and not with the program. */
const STORAGE_FAULT = /^SQLITE_(BUSY|LOCKED|FULL|IOERR|READONLY|CANTOPEN|CORRUPT|NOTADB)/;

/** Whether the storage is busy, full, read-only, damaged, or not there. */
export function isStorageFault(thrown: unknown): boolean {
  return thrown instanceof Error && "code" in thrown && STORAGE_FAULT.test(String(thrown.code));
}

/** In whose words an operator is told why the storage refuses. */
const STORAGE_REASONS = [
  [/^SQLITE_(BUSY|LOCKED)/, "another process has locked it"],
  [/^SQLITE_FULL/, "the disk is full"],
  [/^SQLITE_READONLY/, "the file or its disk is read-only"],
  [/^SQLITE_(CORRUPT|NOTADB)/, "the file is damaged"],
  [/^SQLITE_(IOERR|CANTOPEN)/, "the disk is full, read-only or failing"],
] as const;

/** Why the storage refuses, for the operator, with SQLite's own words; null for all other errors. */
export function storageReason(thrown: unknown): string | null {
  if (!(thrown instanceof Error) || !isStorageFault(thrown)) return null;
  const code = String((thrown as Error & { code?: unknown }).code);
  const [, reason] = STORAGE_REASONS.find(([codes]) => codes.test(code)) ?? [];
  return `${reason} (${thrown.message})`;
}

/** What is thrown as it is, or what nobody foresaw, as an error with a fixed public sentence. */
export function toAppError(thrown: unknown): AppError {
  if (thrown instanceof AppError) return thrown;
  if (isStorageFault(thrown)) return storageUnavailable(thrown);
  const sentence =
    "The server failed to answer this request. Its X-Request-Id finds it in the log.";
  return new AppError("internal", sentence, { cause: thrown });
}

const STORAGE_UNAVAILABLE = "The storage cannot do this at present.";

/** @param cause for the log */
export function storageUnavailable(cause: unknown): AppError {
  return new AppError("unavailable", STORAGE_UNAVAILABLE, { cause });
}

/** Whose sentence says no more than callers of the API may know. */
export function isStorageUnavailable(error: AppError): boolean {
  return error.detail === STORAGE_UNAVAILABLE;
}

export function notFound(what: string): AppError {
  return new AppError("not_found", `${what} was not found.`);
}
