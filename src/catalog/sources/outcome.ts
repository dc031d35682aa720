import type { Message } from "../../values/messages/messages.ts";
import type { SourceEnd } from "./source-run-changes.ts";

/** How a run ended, and how far it came. */
export interface Outcome extends Omit<SourceEnd, "id" | "owner"> {
  /** The file of a folder that may still be written, and waits with those behind it; null where none does. */
  unsettled: string | null;
}

/** A run that found nothing new. */
export const NOTHING: Outcome = {
  ...{ failure: null, failedFile: null, retryAfterMs: null },
  ...{ position: null, summary: null, rows: 0, unsettled: null },
};

export function failed(failure: Message): Outcome {
  return { ...NOTHING, failure };
}
