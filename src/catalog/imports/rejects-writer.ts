import { closeSync, writeSync } from "node:fs";
import { inEnglish } from "../../values/messages/messages.ts";
import { stringifyExact } from "./exact-number.ts";
import type { Reject } from "./running-import.ts";

export type RejectsWriter = ReturnType<typeof createRejectsWriter>;

/**
 * Writes rejected rows into a file as NDJSON: line, column, reason and what the row gave.
 * @param open opens the file, called at the first row
 * @param bytesMax a row that would make the file larger, and all after it, are left out
 */
export function createRejectsWriter(open: () => number, bytesMax: number) {
  let file: number | null = null;
  let [kept, bytes] = [0, 0];
  let isFull = false;
  return {
    add({ line, column, fault, fields }: Reject): void {
      const told = JSON.stringify({ line, column, reason: inEnglish(fault) });
      const content = Buffer.from(`${told.slice(0, -1)},"fields":${stringifyExact(fields)}}\n`);
      isFull ||= bytes + content.byteLength > bytesMax;
      if (isFull) return;
      file ??= open();
      writeSync(file, content);
      bytes += content.byteLength;
      kept += 1;
    },
    /** How many rows the file has. */
    kept: (): number => kept,

    close(): void {
      if (file !== null) closeSync(file);
    },
  };
}
