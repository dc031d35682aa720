import { createReadStream, mkdtempSync, openSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Input } from "./input.ts";

/**
 * An input that can be read again. One that can be read only once, such as standard input, is copied on
 * first reading into a file that is removed when the process ends.
 * @param folder for that file
 */
export function keptInput(input: Input, folder: string): Input {
  if (input.bytes !== null) return input;
  let kept: number | null = null;
  return {
    ...input,
    async *open() {
      if (kept !== null) {
        yield* createReadStream("", { fd: kept, start: 0, autoClose: false });
        return;
      }
      const fd = openNameless(folder);
      kept = fd;
      for await (const piece of input.open()) {
        writeFileSync(fd, piece);
        yield piece;
      }
    },
  };
}

/** Opens an unlinked file: nothing is left of it, however the process ends. */
function openNameless(folder: string): number {
  const own = mkdtempSync(join(folder, "kanalog-input-"));
  try {
    return openSync(join(own, "rows"), "wx+", 0o600);
  } finally {
    rmSync(own, { recursive: true });
  }
}
