import { type ImportKindName, importKinds } from "../../src/catalog/imports/import-kinds.ts";
import { type ImportFormat, readRows } from "../../src/catalog/imports/rows.ts";
import { runImport } from "../../src/catalog/imports/run-import.ts";
import { inEnglish } from "../../src/values/messages/messages.ts";
import type { Appliance, ImportResult } from "./appliance.ts";

export interface ImportTextOptions {
  format?: ImportFormat;
  replace?: boolean;
  /** Where image files lie. */
  folder?: string;
  /** Bytes that arrive at once. */
  chunkBytes?: number;
}

/** Imports the content of a file, as the command does, into an appliance's database. */
export async function importText(
  { app: { domains }, config, ports: { clock } }: Appliance,
  kind: ImportKindName,
  content: string | Uint8Array,
  options: ImportTextOptions = {},
): Promise<ImportResult> {
  const { format = "csv", replace = false, folder = "/nowhere" } = options;
  const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
  const chunkBytes = options.chunkBytes ?? bytes.byteLength;
  const source = {
    name: "a file",
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
  const rows = readRows(source, format, Object.keys(importKinds[kind].columns), () => {});
  const summary = await runImport(importKinds[kind], rows, {
    db: domains.db,
    clock,
    context: {
      clock,
      folder,
      messengerHosts: config.messengerHosts,
      openDays: config.statisticsOpenDays,
      note: (said) => notes.push(inEnglish(said)),
    },
    replace,
    onReject: ({ fault, ...reject }) => rejects.push({ ...reject, reason: inEnglish(fault) }),
    onProgress: () => {},
  });
  return { ...summary, rejects, notes };
}

/** A summary's counts, without what differs from run to run. */
export function counts({ read, inserted, updated, unchanged, rejected }: ImportResult) {
  return { read, inserted, updated, unchanged, rejected };
}
