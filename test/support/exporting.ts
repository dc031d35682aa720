import { exportPart, exportParts } from "../../src/catalog/exports/export-part.ts";
import { type ExportWish, readExport } from "../../src/catalog/exports/export-selection.ts";
import type { Appliance } from "./appliance.ts";

/** The whole file that an export makes, as the command does. */
export async function exported(
  { app: { domains }, config, ports: { clock } }: Appliance,
  wish: Pick<ExportWish, "kind"> & Partial<ExportWish>,
): Promise<string> {
  const usual = { format: "csv", isRaw: false, from: "", to: "", channel: "" } as const;
  const settings = { hosts: config.messengerHosts, openDays: config.statisticsOpenDays };
  const selection = readExport(domains.db, clock, { ...usual, ...settings, ...wish });
  const parts = exportParts(async (turn) => exportPart(domains.db, turn), selection);
  return Buffer.concat(await Array.fromAsync(parts)).toString();
}
