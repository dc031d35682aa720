import { type Message, message } from "../../values/messages/messages.ts";

/** Moved handles to report individually; the rest are only counted. */
const TOLD_MAX = 20;

/** Counts and reports the handles that an import moves between channels. */
export function createMovedHandles(note: (said: Message) => void) {
  const counts = { handles_moved: 0 };
  return {
    counts,

    /** @param from number of the channel that had it; `to`, of the one that has it now */
    add(handle: string, from: number, to: number): void {
      counts.handles_moved += 1;
      if (counts.handles_moved <= TOLD_MAX) note(message("handleMoved", { handle, from, to }));
    },

    /** Reports how many more there were. */
    end(): void {
      const more = counts.handles_moved - TOLD_MAX;
      if (more > 0) note(message("moreHandlesMoved", { handles: more }));
    },
  };
}
