import { message } from "../../../../values/messages/messages.ts";
import type { ImportContext } from "../import-kind.ts";

/** Moved handles to report individually; the rest are only counted. */
const REPORTED_MAX = 20;

export function createMovedHandles(note: ImportContext["note"]) {
  const counts = { handles_moved: 0 };
  return {
    counts,

    add(handle: string, from: number, to: number): void {
      counts.handles_moved += 1;
      if (counts.handles_moved <= REPORTED_MAX) note(message("handleMoved", { handle, from, to }));
    },

    /** Reports how many more there were. */
    end(): void {
      const more = counts.handles_moved - REPORTED_MAX;
      if (more > 0) note(message("moreHandlesMoved", { handles: more }));
    },
  };
}
