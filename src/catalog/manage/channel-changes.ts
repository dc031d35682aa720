import { type Actor, recordChange } from "../../customers/audit/audit-log.ts";
import type { Database } from "../../db/database.ts";
import { inTransaction, transaction } from "../../db/transaction.ts";
import { AppError, type FieldFaults, fieldError, notFound } from "../../errors.ts";
import type { Clock } from "../../ports/clock.ts";
import { message } from "../../values/messages/messages.ts";
import { MOSCOW_ZONE } from "../../values/moscow-time.ts";
import { CHANNEL_FIELD_NAMES, CHANNEL_FIELDS, type ChannelField } from "../channels/card.ts";
import { createChannelRecords } from "../channels/channel-records.store.ts";
import { channelsImport } from "../imports/kinds/channels/channels-rows.ts";
import type { ChannelRow } from "../imports/kinds/channels/row-identity.ts";
import { type Given, type ImportContext, RowFault } from "../imports/kinds/import-kind.ts";
import { readCells } from "../imports/kinds/read-cells.ts";

/** Fields that identify a channel, follow from its posts and other edits, or have a button of their own. */
const NOT_EDITED = ["id", "subscribers_at", "last_post_at", "former_handles", "is_public"] as const;

export type EditedField = Exclude<ChannelField, (typeof NOT_EDITED)[number]>;

export const EDITED_FIELDS = CHANNEL_FIELD_NAMES.filter(
  (name): name is EditedField => !NOT_EDITED.some((one) => one === name),
);

/** Texts for some fields of a channel, in the form of import cells; an empty one clears its field. */
export interface ChannelEdit {
  id: number;
  cells: { [Name in EditedField]?: string };
  messengerHosts: readonly string[];
  openDays: number;
}

/**
 * Edits a channel as an import row with its number would, but accepts all of it or nothing, and records
 * which fields changed.
 * @returns whether anything changed
 * @throws AppError `not_found`, and `invalid` with every invalid field
 */
export async function editChannel(
  db: Database,
  clock: Clock,
  edit: ChannelEdit,
  by: Actor,
): Promise<boolean> {
  const { id, messengerHosts, openDays } = edit;
  const given = readEdit(edit);
  /** Number of the channel that had the new handle. */
  let from: number | null = null;
  const context: ImportContext = {
    clock,
    folder: null,
    messengerHosts,
    openDays,
    note(report) {
      if (report.code === "handleMoved") from = Number(report.values.from);
    },
  };
  const rows = channelsImport.open(db, context);
  const isChanged = await inTransaction(db, clock, "edit-channel", async (tx) => {
    const records = createChannelRecords(tx, clock);
    const stored = records.byId(id);
    if (stored === undefined) throw notFound("channel", id);
    if (write({ ...given, id }) === "unchanged") return false;
    rows.beforeCommit?.();
    const fields = Object.keys(given).join(" ");
    await recordChange(tx, clock, by, {
      action: "channel.change",
      id,
      details: { name: records.byId(id)?.title ?? "", fields, ...(from !== null && { from }) },
    });
    return true;
  });
  if (isChanged) await rows.afterCommit?.();
  return isChanged;

  function write(row: Given<ChannelRow>) {
    try {
      return rows.write(row);
    } catch (error) {
      if (!(error instanceof RowFault)) throw error;
      throw fieldError({ [error.column ?? "title"]: [error.fault] });
    }
  }
}

/** Reads the cells as the import's columns. @throws AppError `invalid` with every fault */
function readEdit({ cells, messengerHosts }: ChannelEdit): Given<ChannelRow> {
  const rules = { strict: true, timezone: MOSCOW_ZONE, messengerHosts };
  const faults: FieldFaults = {};
  const given: Given<ChannelRow> = {};
  for (const name of EDITED_FIELDS) {
    const cell = cells[name];
    if (cell === undefined) continue;
    const isCleared = cell.trim() === "";
    const { nullable } = CHANNEL_FIELDS[name].column;
    try {
      const read = readCells(channelsImport, { [name]: cell }, rules, []);
      // Texts that stand for no value, such as `null`, clear a field as well.
      const isNone = isCleared || !(name in read);
      if (isNone && !nullable) faults[name] = [message("blank")];
      else Object.assign(given, isNone ? { [name]: null } : read);
    } catch (error) {
      if (!(error instanceof RowFault)) throw error;
      faults[name] = [error.fault];
    }
  }
  if (Object.keys(faults).length > 0) throw fieldError(faults);
  return given;
}

/**
 * Lets a channel that was deleted or merged return with the next row that names it, under its number.
 * @throws AppError `conflict` while its rows are still being removed
 */
export const restoreChannel = transaction(
  "restore-channel",
  async (tx, clock, id: number, by: Actor) => {
    const { removed } = createChannelRecords(tx, clock);
    const found = removed.byId(id);
    if (found === undefined) throw notFound("channel", id);
    if (found.isUnderWay) throw new AppError("conflict", message("removalUnderWay"));
    if (!removed.lift(id)) return;
    const details = { name: found.handle ?? found.msgr_id ?? "" };
    await recordChange(tx, clock, by, { action: "channel.restore", id, details });
  },
);

/** @returns whether that changed anything */
export const setChannelPublic = transaction(
  "set-public",
  async (tx, clock, id: number, isPublic: boolean, by: Actor) => {
    const records = createChannelRecords(tx, clock);
    const stored = records.byId(id);
    if (stored === undefined) throw notFound("channel", id);
    if (stored.is_public === Number(isPublic)) return false;
    records.update({ ...stored, is_public: Number(isPublic) }, stored);
    records.writeSearch();
    await recordChange(tx, clock, by, {
      action: isPublic ? "channel.unhide" : "channel.hide",
      id,
      details: { name: stored.title },
    });
    return true;
  },
);
