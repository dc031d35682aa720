import type { Transaction } from "../../db/database.ts";
import { createChannelIds } from "../channels/channels.store.ts";
import { parseMessengerId } from "../channels/messenger-id.ts";
import type { Fields } from "../imports/reading/input-row.ts";
import { type AlbumMessage, albumRow } from "./album-post.ts";
import type { ChangedChat } from "./source-chats.store.ts";

/** Updates of a messenger, as rows of imports. Plain data, because it is sent to a thread. */
export interface Batch {
  channels?: readonly Fields[];
  posts?: readonly Fields[];
  stats?: readonly Fields[];
  /** Messages that form one post together. */
  albums?: readonly AlbumMessage[];
  /** The bot's channels in their new state. */
  chats?: readonly ChangedChat[];
  /** Chats whose id at the messenger changed. */
  moves?: readonly { from: string; to: string }[];
}

/** A row of a batch. Its fields are completed in the transaction that writes it. */
export interface BatchRow {
  name: "channels" | "posts" | "stats";
  bytes: number;
  /** Null if nothing needs to be written. */
  fieldsOf(tx: Transaction): Fields | Promise<Fields> | null;
}

/** All rows of a batch, in the order in which the kinds are written. */
export function rowsOf(sourceId: number, batch: Batch): BatchRow[] {
  const { moves = [], channels = [], posts = [], albums = [], stats = [] } = batch;
  const plain = (name: BatchRow["name"], rows: readonly Fields[]): BatchRow[] =>
    rows.map((fields) => ({ name, bytes: bytesOf(fields), fieldsOf: () => fields }));
  return [
    ...moves.map((move) => ({
      name: "channels" as const,
      bytes: 0,
      fieldsOf: (tx: Transaction) => movedRow(tx, move),
    })),
    ...plain("channels", channels),
    ...plain("posts", posts),
    ...albums.map((one) => ({
      name: "posts" as const,
      bytes: bytesOf(one.row),
      fieldsOf: (tx: Transaction) => albumRow(tx, sourceId, one, albums),
    })),
    ...plain("stats", stats),
  ];
}

/**
 * Row that gives a channel its new id at the messenger; its number here stays. Null if the catalog does not
 * have the channel.
 */
function movedRow(tx: Transaction, { from, to }: { from: string; to: string }): Fields | null {
  const id = createChannelIds(tx).byMessengerId(parseMessengerId(from) ?? "");
  return id === undefined ? null : { id, msgr_id: to };
}

function bytesOf(fields: Fields): number {
  const texts = Object.values(fields).filter((value) => typeof value === "string");
  return texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
}

const ROWS_MAX = 20;
/** Bytes per transaction, unless a single row is larger: 64 KiB of text take 8 ms of processor time. */
const BYTES_MAX = 32 * 1024;

/** Rows grouped by transaction; one empty group if there are none. */
export function partsOf(rows: readonly BatchRow[]): BatchRow[][] {
  const parts: BatchRow[][] = [[]];
  let bytes = 0;
  for (const row of rows) {
    const part = parts.at(-1) ?? [];
    const isFull = part.length >= ROWS_MAX || bytes + row.bytes > BYTES_MAX;
    if (isFull && part.length > 0) {
      parts.push([row]);
      bytes = row.bytes;
    } else {
      part.push(row);
      bytes += row.bytes;
    }
  }
  return parts;
}
