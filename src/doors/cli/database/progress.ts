import { Presets, SingleBar } from "cli-progress";
import type { Input } from "../../../catalog/imports/reading/input.ts";
import type { Clock } from "../../../ports/clock.ts";

export interface Progress {
  bytes(total: number): void;
  rows(total: number): void;
  stop(): void;
}

const SILENT: Progress = { bytes() {}, rows() {}, stop() {} };

/**
 * A progress bar on a terminal's standard error, with rate and time left by bytes read; for standard input,
 * whose length is unknown, only count and rate. Nothing if it is not a terminal.
 */
export function createProgress(input: Input, clock: Clock): Progress {
  if (!process.stderr.isTTY) return SILENT;
  const format =
    input.bytes === null
      ? "{rows} rows | {rate} rows/s"
      : "{bar} {percentage}% | {rows} rows | {rate} rows/s | {eta_formatted} left";
  const bar = new SingleBar(
    { format, hideCursor: true, gracefulExit: false, stream: process.stderr },
    Presets.shades_classic,
  );
  const startedAtMs = clock.monotonic();
  bar.start(input.bytes ?? 0, 0, { rows: 0, rate: 0 });
  return {
    bytes: (total) => bar.update(total),
    rows(total) {
      const seconds = Math.max(0.001, (clock.monotonic() - startedAtMs) / 1000);
      bar.update({ rows: total, rate: Math.round(total / seconds) });
    },
    stop: () => bar.stop(),
  };
}
