import { exportPart, exportParts } from "../../src/catalog/exports/export-part.ts";
import { type ExportWish, readExport } from "../../src/catalog/exports/export-selection.ts";
import type { Appliance } from "./appliance.ts";

/** The whole file that an export makes, as the command does. */
export async function exported(
  { app: { domains }, config, ports: { clock } }: Appliance,
  wish: Pick<ExportWish, "kind"> & Partial<ExportWish>,
): Promise<string> {
  const whole = { format: "csv", isRaw: false, from: "", to: "", channel: "", ...wish } as const;
  const selection = readExport(domains.db, config.messengerHosts, whole);
  const parts = exportParts(async (...asked) => exportPart(domains.db, clock, ...asked), selection);
  return Buffer.concat(await Array.fromAsync(parts)).toString();
}
