import type { Serving } from "./machine.ts";

interface LogLine {
  msg: string;
  worker?: number;
  pid?: number;
}

/** Complete lines of a serving process's log with this message. */
export function logged(serving: Serving, msg: string): LogLine[] {
  const complete = serving.printed().split("\n").slice(0, -1);
  const lines = complete.filter((line) => line.startsWith("{"));
  return lines.map((line) => JSON.parse(line) as LogLine).filter((line) => line.msg === msg);
}

/** Process ids of the workers, by worker number, as of their last start. */
export function pidsOf(serving: Serving): Map<number, number> {
  return new Map(
    logged(serving, "a worker is serving").map(({ worker = 0, pid = 0 }) => [worker, pid]),
  );
}
