import type { Database } from "../../../../db/database.ts";
import type { Clock } from "../../../../ports/clock.ts";
import { message } from "../../../../values/messages/messages.ts";
import { createChannelRecords } from "../../../channels/channel-records.store.ts";
import { parseMessengerId } from "../../../channels/channel-reference.ts";
import type { Fields, InputRow } from "../../reading/recognized.ts";
import type { ImportContext } from "../import-kind.ts";

/**
 * Rows that make the channels of an export which the catalog does not have, so that its posts find them. A
 * channel that it has stays as it is, since the export may be older.
 */
export async function* missingChannels(
  parts: AsyncIterable<InputRow[]>,
  db: Database,
  { clock, note }: Pick<ImportContext, "note"> & { clock: Clock },
): AsyncGenerator<InputRow[]> {
  const records = createChannelRecords(db, clock);

  function toRow({ title, handle, ...fields }: Fields): Fields | null {
    const id = parseMessengerId(String(fields["msgr_id"])) ?? "";
    const isKnown = records.byMessengerId(id) ?? records.removed.byMessengerId(id);
    if (isKnown !== undefined) return null;
    const holder = typeof handle === "string" ? records.byHandle(handle) : undefined;
    // A channel that was known by its handle gets its messenger id; another one keeps its handle.
    if (holder?.msgr_id === null) return { msgr_id: id, handle };
    const named = String(title ?? handle ?? id);
    note(message("channelMade", { channel: id, title: named }));
    return { ...fields, title: named, ...(holder === undefined && { handle }) };
  }

  for await (const rows of parts) {
    yield rows.flatMap((row) => {
      const fields = "fields" in row ? toRow(row.fields) : null;
      return fields === null ? [] : [{ line: row.line, fields }];
    });
  }
}
