import { INTERRUPTED } from "../imports/reading/input.ts";
import { type ImportSummary, sumOf } from "../imports/writing/import-summary.ts";
import type { Batch } from "./batch-rows.ts";
import type { BotAccess, BotMessenger, BotTools } from "./bot-messenger.ts";
import { NOTHING, type Outcome } from "./outcome.ts";
import type { SourcePosition } from "./sources.table.ts";
import { createTryAgain, ONCE } from "./try-again.ts";

/** `BotTools` but for those made here, with an `apply` that returns what was written. */
export interface BotRunTools extends Omit<BotTools, "apply" | "tryAgain"> {
  /** @returns null if another process holds the source by now, or it is gone */
  apply(batch: Batch, position: SourcePosition | null): Promise<ImportSummary | null>;
}

/** @throws AppError as `BotTools.apply` */
export async function runBot(
  messenger: BotMessenger,
  access: BotAccess,
  position: SourcePosition,
  tools: BotRunTools,
): Promise<Outcome> {
  let summary: ImportSummary | null = null;
  const end = await messenger.run(access, position, {
    ...tools,
    tryAgain: tools.mayWait ? createTryAgain(tools) : ONCE,
    async apply(batch, at) {
      const written = await tools.apply(batch, at);
      if (written === null) return false;
      if (written.read > 0) summary = sumOf(summary, written);
      return true;
    },
  });
  const outcome = { ...NOTHING, ...end, summary };
  return tools.signal.aborted ? { ...outcome, failure: INTERRUPTED } : outcome;
}
