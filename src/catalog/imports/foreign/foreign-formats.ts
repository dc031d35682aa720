import { AppError } from "../../../errors.ts";
import { isObject, type JsonObject } from "../../../values/json-object.ts";
import { message } from "../../../values/messages/messages.ts";
import type { ImportKindName } from "../import-kinds.ts";
import type { Fields } from "../input-row.ts";
import type { JsonRows } from "../json-rows.ts";
import type { FileFormat } from "../recognized.ts";
import { pyrogram } from "./pyrogram.ts";
import { telegramDesktop } from "./telegram-desktop.ts";
import { telethon } from "./telethon.ts";

/** The format of another program, whose messages become rows. */
export interface ForeignFormat {
  /** Where messages lie in a document, and what stands beside them, as paths of the parser. */
  paths: readonly string[];
  /** Whether the file is one JSON document; else a JSON array or NDJSON. */
  isDocument?: true;
  /**
   * A post by our columns, with nothing in those that the message does not tell; null for a message
   * that is no post, such as one that says that the channel was renamed.
   * @param beside what stands beside the messages
   */
  toPost(message: JsonObject, beside: JsonObject): Fields | null;
  /** A channel by our columns; null where nothing names it. Absent where messages tell nothing of it. */
  toChannel?(beside: JsonObject, message: JsonObject | null): Fields | null;
}

const FORMATS = {
  "telegram-desktop": telegramDesktop,
  telethon,
  pyrogram,
} as const satisfies Record<string, ForeignFormat>;

export type ForeignFormatName = keyof typeof FORMATS;
export const FOREIGN_FORMATS = Object.keys(FORMATS) as ForeignFormatName[];

/** The format of a text that begins with a brace. */
export function formatOfForeign(from: ForeignFormatName): FileFormat {
  const { isDocument }: ForeignFormat = FORMATS[from];
  return isDocument === true ? "json" : "ndjson";
}

/**
 * The rows of another program's file.
 * @param columns of the kind
 * @throws AppError `invalid` for a kind that the format has nothing of
 */
export function createForeignRows(
  from: ForeignFormatName,
  kind: ImportKindName,
  columns: readonly string[],
): JsonRows {
  const format: ForeignFormat = FORMATS[from];
  const isPosts = kind === "posts";
  if (!isPosts && (kind !== "channels" || format.toChannel === undefined)) {
    const kinds = format.toChannel === undefined ? ["posts"] : ["posts", "channels"];
    throw new AppError("invalid", message("foreignKind", { from, kinds }));
  }
  const beside: JsonObject = {};
  const channels = new Set<string>();
  let messages = 0;

  /** A channel is handed on once, however many messages name it. */
  function toChannel(of: JsonObject | null): Fields | null {
    const fields = format.toChannel?.(beside, of) ?? null;
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
 * The one place that drops what a message tells and the kind has no column for. What a message leaves open
 * is left unknown, never 0. A channel is named once: its messenger id is surer than its handle.
 */
function ofColumns(fields: Fields, columns: readonly string[]): Fields {
  const told = Object.entries(fields).filter(
    ([name, value]) => value != null && columns.includes(name),
  );
  const { channel, ...others } = Object.fromEntries(told) as Fields;
  const isNamed = others["channel_msgr_id"] !== undefined || channel === undefined;
  return isNamed ? others : { ...others, channel };
}
