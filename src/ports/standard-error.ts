import { constants, fstatSync, openSync, writeSync } from "node:fs";

const STANDARD_ERROR = 2;

/**
 * Writes log lines to standard error. If it is a pipe or terminal whose reader has stalled, lines are
 * dropped instead of making every request wait; the next line that gets through says how many.
 */
export function standardError() {
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
