import pino from "pino";

export type LogLevel = "info" | "warn" | "error" | "silent";
export const LOG_LEVELS: readonly LogLevel[] = ["info", "warn", "error", "silent"];

export interface Log {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** One JSON object a line on standard error; standard output belongs to the commands. */
export function systemLog(level: LogLevel): Log {
  const logger = pino({ level, base: null }, pino.destination({ dest: 2, sync: true }));
  // A log that cannot be written, on a full disk say, must not fail what it tells of.
  const safely =
    (write: "info" | "warn" | "error") =>
    (fields: object, message: string): void => {
      try {
        logger[write](fields, message);
      } catch {}
    };
  return { info: safely("info"), warn: safely("warn"), error: safely("error") };
}
