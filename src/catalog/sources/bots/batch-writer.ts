import type { Database, Transaction } from "../../../db/database.ts";
import { inSlice } from "../../../db/transaction.ts";
import { AppError } from "../../../errors.ts";
import type { Clock } from "../../../ports/clock.ts";
import { message } from "../../../values/messages/messages.ts";
import { dayOf, MOSCOW_ZONE } from "../../../values/moscow-time.ts";
import { parseMessengerId } from "../../channels/channel-reference.ts";
import { createChannelIds } from "../../channels/channels.store.ts";
import type { ImportContext, ImportKind } from "../../imports/kinds/import-kind.ts";
import { importKinds } from "../../imports/kinds/import-kinds.ts";
import { type Fields, nothingRecognized } from "../../imports/reading/recognized.ts";
import type { ImportSummary } from "../../imports/writing/import-summary.ts";
import { changedBy, createTally, nothingImported } from "../../imports/writing/import-summary.ts";
import { type Reject, readAll, writeRow } from "../../imports/writing/write-rows.ts";
import { countRows, RUN_KILLED, selectSource, updateSource } from "../sources.store.ts";
import type { SourcePosition } from "../sources.table.ts";
import { type AlbumMessage, albumRow } from "./album-post.ts";
import { type ChangedChat, putChat, removeChat } from "./source-chats.store.ts";
import { hasPost } from "./stored-posts.store.ts";

/**
 * Writes a batch's rows, inside the caller's transactions. Rows that cannot be written are skipped and
 * counted as rejected.
 * @param names kinds of the rows, in the order in which they are written
 */
function createBatchWriter(
  db: Database,
  names: readonly BatchRow["name"][],
  context: ImportContext,
) {
  const { messengerHosts } = context;
  const rules = { timezone: MOSCOW_ZONE, strict: false, messengerHosts };
  const summary = nothingImported(nothingRecognized(MOSCOW_ZONE));
  const rejects = createTally();
  const warnings = createTally();
  const writers = names.map((name) => {
    const kind = importKinds[name] as ImportKind<never>;
    return { name, kind, writer: kind.open(db, context) };
  });

  const onReject = ({ fault }: Reject): void => {
    if (fault.code === "inFuture") throw new AppError("unavailable", message("sourceClock"));
  };
  const counted = { cells: rules, summary, rejects, warnings, onReject };

  return {
    /**
     * @returns number of rows added or changed
     * @throws AppError `unavailable` for a post from the future
     */
    async write(tx: Transaction, rows: readonly BatchRow[]): Promise<number> {
      const before = changedBy(summary);
      for (const { name, kind, writer } of writers) {
        for (const row of rows) {
          const fields = row.name === name ? await row.fieldsOf(tx) : null;
          if (fields === null) continue;
          summary.read += 1;
          for (const read of readAll(kind, [{ line: 0, fields }], rules)) {
            writeRow({ ...counted, kind }, writer, read);
          }
        }
        writer.beforeCommit?.();
      }
      return changedBy(summary) - before;
    },

    /** Must be called after each commit. */
    async afterCommit(): Promise<void> {
      for (const { writer } of writers) await writer.afterCommit?.();
    },

    /** Must be called after the last commit. */
    async afterwards(): Promise<void> {
      for (const { writer } of writers) await writer.afterwards?.();
    },

    summary(): ImportSummary {
      return { ...summary, rejects: rejects.groups(), warnings: warnings.groups() };
    },
  };
}

export interface ReactionCount {
  chat: string;
  messageId: number;
  count: number;
}

/** Updates of a messenger, as rows of imports. Plain data, because it is sent to a thread. */
export interface Batch {
  channels?: readonly Fields[];
  posts?: readonly Fields[];
  stats?: readonly Fields[];
  /** Messages that form one post together. */
  albums?: readonly AlbumMessage[];
  reactions?: readonly ReactionCount[];
  /** The bot's channels in their new state. */
  chats?: readonly ChangedChat[];
  /** Chats whose id at the messenger changed. */
  moves?: readonly { from: string; to: string }[];
}

/** A row of a batch. Its fields are completed in the transaction that writes it. */
interface BatchRow {
  name: "channels" | "posts" | "stats";
  bytes: number;
  /** Null if nothing needs to be written. */
  fieldsOf(tx: Transaction): Fields | Promise<Fields> | null;
}

/** All rows of a batch, in the order in which the kinds are written. */
function rowsOf(sourceId: number, batch: Batch): BatchRow[] {
  const { moves = [], channels = [], posts = [], albums = [], stats = [], reactions = [] } = batch;
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
    ...reactions.map((counted) => ({
      name: "posts" as const,
      bytes: 0,
      fieldsOf: (tx: Transaction) => reactionsRow(tx, counted),
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

/** Null for a message that is not a post of the catalog, such as a later one of an album. */
function reactionsRow(tx: Transaction, { chat, messageId, count }: ReactionCount): Fields | null {
  const ids = { channel_msgr_id: chat, msgr_post_id: String(messageId) };
  return hasPost(tx, chat, messageId) ? { ...ids, reactions: count } : null;
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

export interface BatchRun {
  /**
   * The source, and the process that holds it; null for pushed updates, which are written whichever process
   * holds it.
   */
  id: number;
  owner: string | null;
  batch: Batch;
  /** Position to store with the batch; null to keep the present one. */
  position: SourcePosition | null;
  messengerHosts: readonly string[];
  openDays: number;
}

const ORDER = ["channels", "posts", "stats"] as const;

/**
 * Writes a batch and its position, in transactions of limited size; the position is committed with the last
 * one (sources, section 1). If the process is killed before that, the batch is read and written again,
 * which duplicates nothing. Rows that cannot be written are skipped and counted as rejected.
 * @returns null, with nothing more written, if another process holds the source by now, or it is gone
 * @throws AppError `unavailable`, without storing the position, for a post from the future: this machine's
 * clock is wrong, and the post must not be lost because of that
 */
export async function applyBatch(
  db: Database,
  clock: Clock,
  { id, owner, batch, position, messengerHosts, openDays }: BatchRun,
): Promise<ImportSummary | null> {
  const context = { clock, folder: null, messengerHosts, openDays, note: () => {} };
  const rows = rowsOf(id, batch);
  const kinds = ORDER.filter((name) => rows.some((row) => row.name === name));
  const writer = createBatchWriter(db, kinds, context);
  const parts = partsOf(rows);
  for (const part of parts) {
    const isWritten = await inSlice(db, clock, "source-batch", async (tx) => {
      const source = await selectSource(tx, { id });
      if (source === undefined || (owner !== null && source.owner !== owner)) return false;
      const changed = await writer.write(tx, part);
      if (part === parts.at(-1)) await writeState(tx, id, batch, position);
      // Rows that are read repeatedly count only when they change.
      if (changed > 0) {
        await countRows(tx, { sourceId: id, day: dayOf(clock.now()), rows: changed });
        // Its process was killed, but not by what this source sends: reading gets on.
        if (source.failure?.code === RUN_KILLED.code) {
          await updateSource(tx, id, { failures: 0, failure: null });
        }
      }
      return true;
    });
    if (!isWritten) return null;
    await writer.afterCommit();
  }
  await writer.afterwards();
  return writer.summary();
}

/** Writes the source's channels and position, with the last part of a batch. */
async function writeState(
  tx: Transaction,
  id: number,
  { moves = [], chats = [] }: Batch,
  position: SourcePosition | null,
): Promise<void> {
  for (const { from } of moves) await removeChat(tx, id, from);
  for (const chat of chats) await putChat(tx, id, chat);
  if (position !== null) await updateSource(tx, id, { position });
}
