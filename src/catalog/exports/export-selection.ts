import type { Database } from "../../db/database.ts";
import { type FieldFaults, fieldError } from "../../errors.ts";
import type { Clock } from "../../ports/clock.ts";
import { message } from "../../values/messages/messages.ts";
import { type Day, parseDay } from "../../values/moscow-time.ts";
import { parseLinkOrHandle, parsePathReference } from "../channels/channel-reference.ts";
import { selectId } from "../channels/channels.store.ts";
import type { RowSelection } from "../imports/exported-rows.ts";
import type { ImportFormat } from "../imports/import-format.ts";
import { type ImportKindName, importKinds } from "../imports/import-kinds.ts";
import { firstOpenDay } from "../statistics/open-days.ts";

/** The rows of an export, and how they are written. Plain data, since it is sent to a thread. */
export interface ExportSelection extends RowSelection {
  kind: ImportKindName;
  format: ImportFormat;
  /** Whether CSV leaves texts that a spreadsheet would run as they are. */
  isRaw: boolean;
}

/** An export as somebody asks for it, in their own spelling; texts are empty where they are not given. */
export interface ExportWish {
  kind: ImportKindName;
  format: ImportFormat;
  isRaw: boolean;
  from: string;
  to: string;
  /** A service number, an `@handle` or a link. */
  channel: string;
  /** The messenger's hosts, by which links are known. */
  hosts: readonly string[];
  /** How many Moscow days derived values follow the posts. */
  openDays: number;
}

/**
 * Reads what is to be exported.
 * @throws AppError `invalid` by field (`from`, `to`, `channel`, `raw`)
 */
export function readExport(
  db: Database,
  clock: Clock,
  { kind, format, isRaw, from, to, channel, hosts, openDays }: ExportWish,
): ExportSelection {
  const faults: FieldFaults = {};
  const { selectedBy } = importKinds[kind].exported;
  const readDayOf = (field: "from" | "to", given: string): Day | null => {
    if (given === "") return null;
    const day = parseDay(given);
    if (!selectedBy.includes("days")) faults[field] = [message("exportWithoutDays")];
    else if (day === null) faults[field] = [message("notDay")];
    return day;
  };
  const days = { from: readDayOf("from", from), to: readDayOf("to", to) };
  if (days.from !== null && days.to !== null && days.to < days.from) {
    faults["to"] ??= [message("periodBackwards")];
  }
  if (channel !== "" && !selectedBy.includes("channel")) {
    faults["channel"] = [message("exportWithoutChannel")];
  }
  if (isRaw && format !== "csv") faults["raw"] = [message("rawWithoutCsv")];
  if (Object.keys(faults).length > 0) throw fieldError(faults);
  const channelId = channel === "" ? null : findChannel(db, hosts, channel);
  const openFrom = firstOpenDay(clock.now(), openDays);
  return { kind, format, isRaw, ...days, channelId, openFrom };
}

/** Finds a channel, a hidden one too. @throws AppError `invalid` on `channel` */
function findChannel(db: Database, hosts: readonly string[], given: string): number {
  const named = /^\d+$/.test(given) ? parsePathReference(given) : parseLinkOrHandle(given, hosts);
  if (named === null) throw fieldError({ channel: [message("notChannelOfExport")] });
  const id = selectId(db, named);
  if (id === null) throw fieldError({ channel: [message("noChannel", { channel: given })] });
  return id;
}
