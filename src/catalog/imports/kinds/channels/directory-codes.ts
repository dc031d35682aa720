import type { Database } from "../../../../db/database.ts";
import { message } from "../../../../values/messages/messages.ts";
import type { ChannelRecords } from "../../../channels/channel-records.store.ts";
import { createEntryNames } from "../../../directory/entry-names.ts";
import { type Given, RowFault } from "../import-kind.ts";
import type { ChannelRow } from "./row-identity.ts";

const COLUMNS = ["category", "territory"] as const;

const UNKNOWN = { category: message("noCategory"), territory: message("noTerritory") };

/**
 * Returns a function that replaces displayed names of a category and a territory, as most people's tables
 * have them, with their codes.
 */
export function createDirectoryCodes(
  db: Database,
  { hasCategory, hasTerritory }: ChannelRecords,
): (row: Given<ChannelRow>) => Given<ChannelRow> {
  const named = createEntryNames(db);
  const isCode = { category: hasCategory, territory: hasTerritory };

  /** @throws RowFault unless exactly one entry has the name */
  function codeOf(column: (typeof COLUMNS)[number], name: string): string {
    // The writer knows the codes from its start; an entry may have been added since then.
    const codes = named[column](name).filter(isCode[column]);
    const [code] = codes;
    if (code === undefined) throw new RowFault(column, UNKNOWN[column]);
    if (codes.length > 1) throw new RowFault(column, message("nameOfSeveral", { codes }));
    return code;
  }

  return (row) => {
    let withCodes = row;
    for (const column of COLUMNS) {
      const given = row[column];
      if (given == null || isCode[column](given)) continue;
      withCodes = { ...withCodes, [column]: codeOf(column, given) };
    }
    return withCodes;
  };
}
