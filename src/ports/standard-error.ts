import { constants, fstatSync, openSync, writeSync } from "node:fs";

const STANDARD_ERROR = 2;

/**
 * Standard error for lines of the log. A pipe or a terminal whose reader has stopped is not waited for, since
 * everybody who is served would wait too: its lines are left out, and counted in the next one that is read.
 */
export function standardError() {
  const fd = openWithoutWaiting();
  /** The end of a line of which the beginning was written. */
  let rest: Uint8Array = new Uint8Array();
  let missing = 0;

  /** @returns what could not be written */
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
 * A pipe or a terminal is opened once more, since not to wait is a property of what was opened, which other
 * programs may share. A file never makes anybody wait, and a socket cannot be opened.
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
