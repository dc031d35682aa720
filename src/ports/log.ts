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

/** Fields whose values are never written, at the top of an entry or one level below. */
const HIDDEN = ["authorization", "cookie", "key", "password", "secret", "token"];

/**
 * One JSON object a line on standard error; standard output belongs to the commands.
 * @param worker the number of this process among those that serve, told in each line; null where it is alone
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
  // A log that cannot be written, on a full disk say, must not fail what it tells of.
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

/** An error's text and code only: libraries may attach anything else to theirs. */
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

/** How many messages of an error and its causes are looked at: one may be its own cause. */
const MESSAGES_MAX = 5;

/** Messages of an error and of its causes. */
function messagesOf({ message, cause }: Error, most = MESSAGES_MAX): string[] {
  if (!(cause instanceof Error) || most === 1) return [message];
  const causes = messagesOf(cause, most - 1);
  return causes[0] === message ? causes : [message.replace(/\.$/, ""), ...causes];
}
