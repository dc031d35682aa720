import pino from "pino";
import { standardError } from "./standard-error.ts";
import { withoutSecrets } from "./without-secrets.ts";

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
