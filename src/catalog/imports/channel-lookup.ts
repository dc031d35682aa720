import type { Database } from "../../db/database.ts";
import { message } from "../../values/messages/messages.ts";
import { createChannelIds } from "../channels/channels.store.ts";
import { RowFault } from "./import-kind.ts";

/** Finds the channel that a row of statistics or posts names. */
export function createChannelLookup(
  db: Database,
): (channel: number | `@${string}` | null | undefined) => number {
  const ids = createChannelIds(db);
  /** The last channel is remembered: files tend to give its rows together, and none is ever removed. */
  let last: number | null = null;
  return (channel) => {
    if (channel != null && channel === last) return last;
    if (channel == null) throw new RowFault("channel", message("required"));
    const id = typeof channel === "number" ? ids.byId(channel) : ids.byHandle(channel.slice(1));
    if (id === undefined) throw new RowFault("channel", message("noChannel", { channel }));
    last = id;
    return id;
  };
}
