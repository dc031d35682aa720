import type { Message } from "../../values/messages/messages.ts";
import type { SourceEnd } from "./source-run-changes.ts";

export interface Outcome extends Omit<SourceEnd, "id" | "owner"> {
  /** File of a folder that may still be being written: it and later files wait. Null if there is none. */
  unsettled: string | null;
  /** Files of a folder that could not be read, and why. */
  setAside: readonly { name: string; fault: Message }[];
}

/** Outcome of a run that found nothing new. */
export const NOTHING: Outcome = {
  failure: null,
  retryAfterMs: null,
  position: null,
  summary: null,
  rows: 0,
  unsettled: null,
  setAside: [],
};

export function failed(failure: Message): Outcome {
  return { ...NOTHING, failure };
}
