import { AppError } from "../../../../errors.ts";
import { isObject, type JsonObject } from "../../../../values/json-text.ts";
import { message } from "../../../../values/messages/messages.ts";
import type { ImportKindName } from "../../kinds/import-kinds.ts";
import type { JsonRows } from "../json-rows.ts";
import type { Fields, FileFormat } from "../recognized.ts";
import { pyrogram } from "./pyrogram.ts";
import { telegramDesktop } from "./telegram-desktop.ts";
import { telethon } from "./telethon.ts";

/** Another program's format, whose messages become rows. */
export interface ForeignFormat {
  /** Where a document has messages and data beside them, as paths for the parser. */
  paths: readonly string[];
  /** Whether the file is a single JSON document; otherwise it is a JSON array or NDJSON. */
  isDocument?: true;
  /**
   * A post in our columns, without those that the message says nothing about; null for a message that is
   * not a post, such as the renaming of the channel.
   * @param beside data beside the messages
   */
  toPost(message: JsonObject, beside: JsonObject): Fields | null;
  /** A channel in our columns, without those that nothing says; null if nothing names it. */
  toChannel(beside: JsonObject, message: JsonObject | null): Fields | null;
}

const FORMATS = {
  "telegram-desktop": telegramDesktop,
  telethon,
  pyrogram,
} as const satisfies Record<string, ForeignFormat>;

export type ForeignFormatName = keyof typeof FORMATS;
export const FOREIGN_FORMATS = Object.keys(FORMATS) as ForeignFormatName[];

/** Format of a text that begins with a brace. */
export function formatOfForeign(from: ForeignFormatName): FileFormat {
  const { isDocument }: ForeignFormat = FORMATS[from];
  return isDocument === true ? "json" : "ndjson";
}

/**
 * Converts the messages of another program's file to rows.
 * @param columns the kind's columns; data without a column is dropped
 * @throws AppError `invalid` for a kind that the format has no data for
 */
export function createForeignRows(
  from: ForeignFormatName,
  kind: ImportKindName,
  columns: readonly string[],
): JsonRows {
  const format: ForeignFormat = FORMATS[from];
  const isPosts = kind === "posts";
  if (!isPosts && kind !== "channels")
    throw new AppError("invalid", message("foreignKind", { from }));
  const beside: JsonObject = {};
  const channels = new Set<string>();
  let messages = 0;

  /** A channel is passed on once, however many messages name it. */
  function toChannel(of: JsonObject | null): Fields | null {
    const fields = format.toChannel(beside, of);
    const name = JSON.stringify(fields?.["msgr_id"] ?? fields?.["handle"] ?? null);
    if (fields === null || channels.has(name)) return null;
    channels.add(name);
    return fields;
  }

  return {
    paths: format.paths,
    toRow(line, value, key = null) {
      if (key !== null) {
        beside[key] = value;
        return [];
      }
      messages += 1;
      if (!isObject(value)) return [{ line, fault: message("lineNotObject") }];
      const fields = isPosts ? format.toPost(value, beside) : toChannel(value);
      return fields === null ? [] : [{ line, fields: ofColumns(fields, columns) }];
    },
    end(line) {
      if (messages === 0) throw new AppError("invalid", message("notForeign", { from }));
      const fields = isPosts ? null : toChannel(null);
      return fields === null ? [] : [{ line, fields: ofColumns(fields, columns) }];
    },
  };
}

/**
 * Keeps the fields that the kind has columns for; formats return everything they know. Missing data stays
 * unknown, never 0. If a post names its channel twice, only the messenger id is kept, because it is more
 * reliable than the handle.
 */
function ofColumns(fields: Fields, columns: readonly string[]): Fields {
  const known = Object.entries(fields).filter(
    ([name, value]) => value != null && columns.includes(name),
  );
  const { channel, ...others } = Object.fromEntries(known) as Fields;
  const isNamed = others["channel_msgr_id"] !== undefined || channel === undefined;
  return isNamed ? others : { ...others, channel };
}
