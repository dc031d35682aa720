import { exportPart, exportParts } from "../../src/catalog/exports/export-part.ts";
import { type ExportWish, readExport } from "../../src/catalog/exports/export-selection.ts";
import type { Answer, Appliance } from "./appliance.ts";
import { pathOfNext } from "./expectations.ts";

/** Contents of an export file, as the command writes it. */
export async function exported(
  appliance: Appliance,
  wish: Pick<ExportWish, "kind"> & Partial<ExportWish>,
): Promise<string> {
  return (await exportedFile(appliance, wish)).toString();
}

export async function exportedFile(
  { app: { domains }, config, ports: { clock } }: Appliance,
  wish: Pick<ExportWish, "kind"> & Partial<ExportWish>,
): Promise<Buffer> {
  const usual = { format: "csv", isRaw: false, from: "", to: "", channel: "" } as const;
  const settings = { hosts: config.messengerHosts, openDays: config.statisticsOpenDays };
  const selection = readExport(domains.db, clock, { ...usual, ...settings, ...wish });
  const parts = exportParts(async (turn) => exportPart(domains.db, turn), selection);
  return Buffer.concat(await Array.fromAsync(parts));
}

/** Answers of up to three pages below `/v1/msgr/`, without cursors, which each appliance signs itself. */
export async function answersOf(
  appliance: Appliance,
  path: string,
): Promise<{ status: number; body: object }[]> {
  const answers: { status: number; body: object }[] = [];
  for (let at: string | null = `/v1/msgr/${path}`; at !== null && answers.length < 3; ) {
    const { status, body }: Answer = await appliance.get(at);
    const next: unknown = body.next;
    answers.push({ status, body: { ...body, next: typeof next } });
    at = typeof next === "string" ? pathOfNext(next) : null;
  }
  return answers;
}
