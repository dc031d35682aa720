import { exportPart, exportParts } from "../../src/catalog/exports/export-part.ts";
import { type ExportWish, readExport } from "../../src/catalog/exports/export-selection.ts";
import type { Appliance } from "./appliance.ts";

/** The whole file that an export makes, as the command does. */
export async function exported(
  { app: { domains }, config }: Appliance,
  wish: Pick<ExportWish, "kind"> & Partial<ExportWish>,
): Promise<string> {
  const hosts = config.messengerHosts;
  const usual = { format: "csv", isRaw: false, from: "", to: "", channel: "", hosts } as const;
  const selection = readExport(domains.db, { ...usual, ...wish });
  const parts = exportParts(async (turn) => exportPart(domains.db, turn), selection);
  return Buffer.concat(await Array.fromAsync(parts)).toString();
}
