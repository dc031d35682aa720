import type { ImportKindName } from "../../src/catalog/imports/kinds/import-kinds.ts";
import type { CellRules } from "../../src/catalog/imports/kinds/read-cells.ts";
import { AS_RECOGNIZED, type ReadingOptions } from "../../src/catalog/imports/reading/rows.ts";
import { openImport } from "../../src/catalog/imports/writing/open-import.ts";
import { inEnglish } from "../../src/values/messages/messages.ts";
import type { Appliance, ImportResult } from "./appliance.ts";

export interface ImportTextOptions extends Partial<ReadingOptions & CellRules> {
  replace?: boolean;
  /** Folder of image files. */
  folder?: string;
  /** Size of the pieces in which the file is read. */
  chunkBytes?: number;
  /** The file's name, whose extension may determine the format. */
  name?: string;
  /** Interrupts the import after its first transaction. */
  isInterrupted?: boolean;
}

/** Imports a file's contents into an appliance's database, as the command does. */
export async function importText(
  { app: { domains }, config, ports: { clock } }: Appliance,
  kind: ImportKindName,
  content: string | Uint8Array,
  options: ImportTextOptions = {},
): Promise<ImportResult> {
  const { replace = false, folder = "/nowhere", name = "a file" } = options;
  const { timezone = "Europe/Moscow", strict = false } = options;
  const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
  const chunkBytes = options.chunkBytes ?? bytes.byteLength;
  const source = {
    name,
    bytes: bytes.byteLength,
    folder,
    async *open() {
      for (let at = 0; at < bytes.byteLength; at += chunkBytes) {
        yield bytes.subarray(at, at + chunkBytes);
      }
    },
  };
  const rejects: ImportResult["rejects"] = [];
  const notes: string[] = [];
  const interrupt = new AbortController();
  const reading = { ...AS_RECOGNIZED, ...options };
  const how = { reading, timezone, strict };
  const importIt = await openImport(source, kind, how, config.messengerHosts);
  const summary = await importIt({
    db: domains.db,
    clock,
    context: {
      folder,
      openDays: config.statisticsOpenDays,
      note: (note) => notes.push(inEnglish(note)),
    },
    replace,
    onReject: ({ fault, ...reject }) => rejects.push({ ...reject, reason: inEnglish(fault) }),
    signal: interrupt.signal,
    onProgress: () => options.isInterrupted === true && interrupt.abort(),
  });
  return { ...summary, groups: summary.rejects, rejects, notes };
}

/** Counts of a summary, without values that differ between runs. */
export function counts({ read, inserted, updated, unchanged, rejected }: ImportResult) {
  return { read, inserted, updated, unchanged, rejected };
}
