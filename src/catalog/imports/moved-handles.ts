import { type Message, message } from "../../values/messages/messages.ts";

/** Handles that moved and are told one by one; of the others only how many they are. */
const TOLD_MAX = 20;

/** Counts and tells the handles that an import moves from channel to channel. */
export function createMovedHandles(note: (said: Message) => void) {
  const counts = { handles_moved: 0 };
  return {
    counts,

    /** @param from and `to`, the numbers of the channels that had and have it */
    add(handle: string, from: number, to: number): void {
      counts.handles_moved += 1;
      if (counts.handles_moved <= TOLD_MAX) note(message("handleMoved", { handle, from, to }));
    },

    /** Tells how many more there were. */
    end(): void {
      const more = counts.handles_moved - TOLD_MAX;
      if (more > 0) note(message("moreHandlesMoved", { handles: more }));
    },
  };
}
