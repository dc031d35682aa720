import { expect, test } from "bun:test";
import { integerColumn } from "../../../src/catalog/fields/columns.ts";
import type { ImportKind } from "../../../src/catalog/imports/kinds/import-kind.ts";
import { nothingRecognized } from "../../../src/catalog/imports/reading/recognized.ts";
import { runImport } from "../../../src/catalog/imports/writing/open-import.ts";
import { MOSCOW_ZONE } from "../../../src/values/moscow-time.ts";
import { startAppliance } from "../../support/appliance.ts";

/** A kind that records what its writer is told. */
function recordingKind(calls: string[]): ImportKind<{ id: number }> {
  return {
    columns: { id: integerColumn(1) },
    isDirectory: false,
    open: () => ({
      write: () => "inserted",
      afterCommit: async () => void calls.push("committed"),
      afterwards: async () => void calls.push("afterwards"),
      interrupted: async () => void calls.push("interrupted"),
    }),
    exported: { columns: ["id"], selectedBy: [], *rows() {} },
  };
}

/** @param rows of the whole file @param isInterrupted interrupts the import after its first transaction */
async function imported(rows: number, isInterrupted: boolean): Promise<string[]> {
  const calls: string[] = [];
  const appliance = await startAppliance();
  const interrupt = new AbortController();
  const { clock } = appliance.ports;
  async function* batch() {
    yield Array.from({ length: rows }, (_, at) => ({ line: at + 1, fields: { id: at + 1 } }));
  }
  try {
    await runImport(recordingKind(calls), batch(), {
      ...{ db: appliance.app.domains.db, clock, signal: interrupt.signal, replace: false },
      context: { clock, folder: null, messengerHosts: [], openDays: 1, note: () => {} },
      recognized: nothingRecognized(MOSCOW_ZONE),
      cells: { timezone: MOSCOW_ZONE, strict: true },
      onReject: () => {},
      onProgress: () => isInterrupted && interrupt.abort(),
    });
  } finally {
    await appliance.close();
  }
  return calls;
}

test("an import that is not interrupted does its work after the last commit", async () => {
  expect(await imported(10, false)).toEqual(["committed", "afterwards"]);
});

test("an import that is interrupted in its last batch leaves out the work after the last commit", async () => {
  expect(await imported(1_000, true)).toEqual(["committed", "interrupted"]);
});
