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
  return pino({ level, base: null }, pino.destination({ dest: 2, sync: true }));
}
