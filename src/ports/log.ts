import { constants, fstatSync, openSync, writeSync } from "node:fs";
import pino from "pino";
import type { Clock } from "./clock.ts";

export type LogLevel = "debug" | "info" | "warn" | "error" | "silent";
export const LOG_LEVELS: readonly LogLevel[] = ["debug", "info", "warn", "error", "silent"];

export interface Log {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** Fields whose values are never written, at the top level of an entry or one level below. */
const HIDDEN = ["authorization", "cookie", "key", "password", "secret", "token"];

/**
 * Writes one JSON object per line to standard error; standard output belongs to the commands.
 * @param worker number of this worker, included in each line; null if it serves alone
 */
export function systemLog(level: LogLevel, worker: number | null = null): Log {
  const logger = pino(
    {
      level,
      base: worker === null ? null : { worker },
      formatters: { level: (label) => ({ level: label }) },
      timestamp: pino.stdTimeFunctions.isoTime,
      redact: { paths: HIDDEN.flatMap((name) => [name, `*.${name}`]), censor: "…" },
      serializers: { err: describeError },
    },
    standardError(),
  );
  // A log that cannot be written, for instance on a full disk, must not fail the work it reports.
  const safely =
    (write: "debug" | "info" | "warn" | "error") =>
    (fields: object, message: string): void => {
      try {
        logger[write](fields, withoutSecrets(message));
      } catch {}
    };
  return {
    debug: safely("debug"),
    info: safely("info"),
    warn: safely("warn"),
    error: safely("error"),
  };
}

/** An error's type, messages, stack and code, and nothing else: libraries may attach anything to theirs. */
function describeError(err: unknown): unknown {
  if (!(err instanceof Error)) return withoutSecrets(String(err));
  const { type, stack } = pino.stdSerializers.err(err);
  const { code } = err as { code?: unknown };
  return {
    type,
    message: withoutSecrets(messagesOf(err).join(": ")),
    stack: withoutSecrets(stack),
    ...(typeof code === "string" && { code }),
  };
}

/** Limit for following an error's causes, because an error may be its own cause. */
const MESSAGES_MAX = 5;

/** Messages of an error and its causes, outermost first; a cause's message is not repeated. */
function messagesOf({ message, cause }: Error, most = MESSAGES_MAX): string[] {
  if (!(cause instanceof Error) || most === 1) return [message];
  const causes = messagesOf(cause, most - 1);
  return causes[0] === message ? causes : [message.replace(/\.$/, ""), ...causes];
}

/**
 * A log that can be held back while text for a person is being printed: entries are written afterwards.
 * Errors are written at once.
 */
export function createHeldLog(log: Log) {
  let waiting: (() => void)[] | null = null;
  const inTurn =
    (level: "debug" | "info" | "warn") =>
    (fields: object, message: string): void => {
      if (waiting === null) log[level](fields, message);
      else waiting.push(() => log[level](fields, message));
    };
  const held: Log = {
    debug: inTurn("debug"),
    info: inTurn("info"),
    warn: inTurn("warn"),
    error: (fields, message) => log.error(fields, message),
  };

  return {
    log: held,

    /** Holds the log back until the work ends or fails. */
    async during(work: () => void | Promise<void>): Promise<void> {
      waiting = [];
      try {
        await work();
      } finally {
        const written = waiting;
        waiting = null;
        for (const write of written) write();
      }
    },
  };
}

/** Secrets that other programs' errors may quote: keys, signing secrets, tokens in links, credentials. */
const SECRETS: readonly [RegExp, string][] = [
  [/\bknl_(ro|rw)_\w+/g, "knl_$1_…"],
  [/\bwhsec_[\w-]+/g, "whsec_…"],
  [/(:\/\/)[^\s/@]+@/g, "$1…@"],
  [/\b((?:token|password|passwd|secret|cookie|authorization)["']?\s*[=:]\s*).+/gi, "$1…"],
  [/\b(Bearer|Basic)\s+\S+/gi, "$1 …"],
];

/** Removes from a text what must not appear in a log or on a page. */
function withoutSecrets(text: string): string {
  return SECRETS.reduce((rest, [pattern, by]) => rest.replace(pattern, by), text);
}

const STANDARD_ERROR = 2;

/**
 * Writes log lines to standard error. If it is a pipe or terminal whose reader has stalled, lines are
 * dropped instead of making every request wait; the next line that gets through says how many.
 */
function standardError() {
  const fd = openWithoutWaiting();
  let rest: Uint8Array = new Uint8Array();
  let missing = 0;

  /** @returns the rest that could not be written; the same array if nothing was */
  function put(bytes: Uint8Array): Uint8Array {
    if (bytes.byteLength === 0) return bytes;
    try {
      return bytes.subarray(writeSync(fd, bytes));
    } catch {
      return bytes;
    }
  }

  return {
    write(line: string): void {
      rest = put(rest);
      if (rest.byteLength === 0) {
        const bytes = Buffer.from(missing === 0 ? line : missingLine(missing) + line);
        rest = put(bytes);
        if (rest !== bytes) {
          missing = 0;
          return;
        }
        rest = new Uint8Array();
      }
      missing += 1;
    },
  };
}

function missingLine(lines: number): string {
  const fields = { level: "warn", time: new Date().toISOString(), lines };
  return `${JSON.stringify({ ...fields, msg: "lines of the log could not be written" })}\n`;
}

/**
 * Reopens a pipe or terminal, because non-blocking mode applies to the open file, which other programs may
 * share. A file never blocks, and a socket cannot be reopened.
 */
function openWithoutWaiting(): number {
  const { O_WRONLY, O_NONBLOCK, O_NOCTTY } = constants;
  try {
    const opened = fstatSync(STANDARD_ERROR);
    if (process.platform !== "linux" || !(opened.isFIFO() || opened.isCharacterDevice())) {
      return STANDARD_ERROR;
    }
    return openSync(`/proc/self/fd/${STANDARD_ERROR}`, O_WRONLY | O_NONBLOCK | O_NOCTTY);
  } catch {
    return STANDARD_ERROR;
  }
}

/** A warning or an error, as staff read it in the console. */
export interface RecentEntry {
  at: number;
  level: "warn" | "error";
  message: string;
  requestId: string | null;
  /** Its numbers and names, such as `work: recount, heldMs: 61`; empty if there are none. */
  facts: string;
  /** The private cause's text without secrets; empty if there is none. */
  cause: string;
}

const ENTRIES_MAX = 200;
/** Longer than a normal stack; errors of other programs may have any length. */
const CAUSE_LENGTH_MAX = 2_000;

/** Keeps this process's latest warnings and errors in memory. */
export function createRecentLog(log: Log, clock: Clock) {
  const ring: RecentEntry[] = [];
  const keeping =
    (level: "warn" | "error") =>
    (fields: object, message: string): void => {
      log[level](fields, message);
      ring.push({
        at: clock.now(),
        level,
        message: withoutSecrets(message),
        ...keptOf(fields),
      });
      if (ring.length > ENTRIES_MAX) ring.shift();
    };
  return {
    /** Passes everything on to the log, and keeps warnings and errors. */
    log: {
      debug: (fields, message) => log.debug(fields, message),
      info: (fields, message) => log.info(fields, message),
      warn: keeping("warn"),
      error: keeping("error"),
    } satisfies Log,
    entries: (): RecentEntry[] => ring.toReversed(),
  };
}

/** Fields whose text is a name chosen by the program. */
const OWN_NAMES = new Set(["work", "job"]);

/**
 * The fields of an entry that are kept: numbers, and names chosen by the program. Other texts may contain
 * anything.
 */
function keptOf(fields: object): Pick<RecentEntry, "requestId" | "facts" | "cause"> {
  const { requestId, err } = fields as { requestId?: unknown; err?: unknown };
  const facts = Object.entries(fields).filter(
    ([name, value]) => typeof value === "number" || OWN_NAMES.has(name),
  );
  return {
    requestId: typeof requestId === "string" ? requestId : null,
    facts: facts.map(([name, value]) => `${name}: ${value}`).join(", "),
    cause: err === undefined || err === null ? "" : causeText(err),
  };
}

function causeText(err: unknown): string {
  const text = err instanceof Error ? (err.stack ?? err.message) : String(err);
  // Truncated only after secrets are removed: half a credential would not be recognized.
  return withoutSecrets(text).slice(0, CAUSE_LENGTH_MAX);
}
