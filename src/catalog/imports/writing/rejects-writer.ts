import { closeSync, writeSync } from "node:fs";
import { inEnglish } from "../../../values/messages/messages.ts";
import { stringifyExact } from "../reading/exact-number.ts";
import type { Reject } from "./running-import.ts";

export type RejectsWriter = ReturnType<typeof createRejectsWriter>;

/**
 * Writes rejected rows to a file as NDJSON: line, column, reason and the row's fields.
 * @param open opens the file; called for the first row
 * @param bytesMax a row that would exceed it, and all after it, are omitted
 */
export function createRejectsWriter(open: () => number, bytesMax: number) {
  let file: number | null = null;
  let kept = 0;
  let bytes = 0;
  let isFull = false;
  return {
    add({ line, column, fault, fields }: Reject): void {
      const head = JSON.stringify({ line, column, reason: inEnglish(fault) }).slice(0, -1);
      const content = Buffer.from(`${head},"fields":${stringifyExact(fields)}}\n`);
      isFull ||= bytes + content.byteLength > bytesMax;
      if (isFull) return;
      file ??= open();
      writeSync(file, content);
      bytes += content.byteLength;
      kept += 1;
    },
    kept: (): number => kept,

    close(): void {
      if (file !== null) closeSync(file);
    },
  };
}
