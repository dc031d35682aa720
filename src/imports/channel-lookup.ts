import { type Database, statement } from "../db/database.ts";
import { REQUIRED } from "../fields.ts";
import { RowFault } from "./import-kind.ts";

/** Finds the channel that a row of statistics or posts names. */
export function createChannelLookup(
  db: Database,
): (channel: number | `@${string}` | null | undefined) => number {
  const byId = statement<{ id: number }>(db, "SELECT id FROM channels WHERE id = ?");
  const byHandle = statement<{ id: number }>(db, "SELECT id FROM channel_cards WHERE handle = ?");
  return (channel) => {
    if (channel === undefined || channel === null) {
      throw new RowFault("channel", REQUIRED);
    }
    const found = typeof channel === "number" ? byId.get(channel) : byHandle.get(channel.slice(1));
    if (found === undefined) throw new RowFault("channel", `There is no channel ${channel}.`);
    return found.id;
  };
}
