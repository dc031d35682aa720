import { message } from "../../../values/messages/messages.ts";
import type { ImportKind } from "../kinds/import-kind.ts";
import type { InputRow } from "../reading/input-row.ts";
import type { Recognized } from "../reading/recognized.ts";
import { importDirectory } from "./import-directory.ts";
import { importPaced } from "./import-paced.ts";
import { type ImportSummary, nothingImported } from "./import-summary.ts";
import type { ImportRun, RunningImport } from "./running-import.ts";
import { createTally, type ReasonGroup } from "./tally.ts";

/**
 * Upserts rows. A directory's rows are written in one transaction, other kinds in short ones with pauses,
 * so that a serving process keeps answering. If interrupted at any point, only whole rows have been written
 * and the import can be repeated; aborting the run's signal ends it after the next commit.
 * @throws whatever `requireWanted` throws
 */
export async function runImport<Row>(
  kind: ImportKind<Row>,
  rows: AsyncIterable<InputRow[]>,
  { onProgress, ...run }: ImportRun,
): Promise<ImportSummary> {
  const { clock, context, recognized } = run;
  const startedAtMs = clock.monotonic();
  const summary = nothingImported(recognized);
  const rejects = createTally();
  const warnings = createTally();
  const running: RunningImport<Row> = {
    ...run,
    kind,
    summary,
    rejects,
    warnings,
    cells: { ...run.cells, messengerHosts: context.messengerHosts },
    progress() {
      summary.seconds = Math.round(clock.monotonic() - startedAtMs) / 1000;
      summary.rejects = rejects.groups();
      summary.warnings = [...warningsOf(recognized), ...warnings.groups()];
      onProgress(summary);
    },
  };
  await (kind.isDirectory ? importDirectory : importPaced)(rows, running);
  running.progress();
  return summary;
}

function warningsOf({ encoding }: Recognized): ReasonGroup[] {
  if (encoding !== "Windows-1251") return [];
  return [{ column: null, fault: message("readAsWindows1251"), count: 1, line: null, value: null }];
}
