import type { Database, Transaction } from "../../db/database.ts";
import { inTransaction } from "../../db/transaction.ts";
import { AppError } from "../../errors.ts";
import type { Clock } from "../../ports/clock.ts";
import { message } from "../../values/messages/messages.ts";
import { dayOf, MOSCOW_ZONE } from "../../values/moscow-time.ts";
import { createChannelIds } from "../channels/channels.store.ts";
import { parseMessengerId } from "../channels/messenger-id.ts";
import { type BadCell, type ImportKind, RowFault, type RowWriter } from "../imports/import-kind.ts";
import { importKinds } from "../imports/import-kinds.ts";
import { readCells } from "../imports/read-cells.ts";
import { nothingRecognized } from "../imports/recognized.ts";
import { type ImportSummary, writeWithout } from "../imports/run-import.ts";
import type { Fields } from "../imports/source-row.ts";
import { createTally } from "../imports/tally.ts";
import { type AlbumMessage, albumRow } from "./album-post.ts";
import { putChat, removeChat } from "./source-chats.store.ts";
import { countRows, selectSource, updateSource } from "./sources.store.ts";
import type { SourceChat, SourcePosition } from "./sources.table.ts";

/** What a messenger told, as rows of an import; plain data, since it is sent to a thread. */
export interface Batch {
  channels?: readonly Fields[];
  posts?: readonly Fields[];
  stats?: readonly Fields[];
  /** Messages that are one post together. */
  albums?: readonly AlbumMessage[];
  /** Channels of the bot, as they are from now on. */
  chats?: readonly SourceChat[];
  /** Chats that got another number at the messenger. */
  moves?: readonly { from: string; to: string }[];
}

export interface BatchRun {
  /** The source, and the process that has it; null: what was pushed, whoever has it. */
  id: number;
  owner: string | null;
  batch: Batch;
  /** How far the source was read with it; null: as far as before. */
  position: SourcePosition | null;
  messengerHosts: readonly string[];
  openDays: number;
}

const ORDER = ["channels", "posts", "stats"] as const;

/**
 * Writes a batch and how far it goes in one transaction: nothing is read twice, and nothing is missed
 * (sources, section 1). A row that cannot be written is left out.
 * @returns null, with nothing written, where another process has the source by now, or it is gone
 * @throws AppError `unavailable`, with nothing written, for a post of the future: this clock is wrong, and
 *   the post is not to be lost for that
 */
export async function applyBatch(
  db: Database,
  clock: Clock,
  { id, owner, batch, position, messengerHosts, openDays }: BatchRun,
): Promise<ImportSummary | null> {
  const context = { clock, folder: null, messengerHosts, openDays, note: () => {} };
  const rules = { timezone: MOSCOW_ZONE, strict: false, messengerHosts };
  const summary: ImportSummary = {
    ...{ read: 0, inserted: 0, updated: 0, unchanged: 0, rejected: 0, seconds: 0 },
    ...{ recognized: nothingRecognized(MOSCOW_ZONE), rejects: [], warnings: [] },
  };
  const [rejects, warnings] = [createTally(), createTally()];
  const writers = ORDER.map((name) => {
    const kind = importKinds[name] as ImportKind<never>;
    return { name, kind, writer: kind.open(db, context) };
  });
  const isWritten = await inTransaction(db, clock, "source-batch", async (tx) => {
    const source = await selectSource(tx, id);
    if (source === undefined || (owner !== null && source.owner !== owner)) return false;
    for (const { name, kind, writer } of writers) {
      for await (const fields of rowsOf(tx, name)) writeRow(kind, writer, fields);
      writer.beforeCommit?.();
    }
    for (const { from } of batch.moves ?? []) await removeChat(tx, id, from);
    for (const chat of batch.chats ?? []) await putChat(tx, id, chat);
    if (position !== null) await updateSource(tx, id, { position });
    // What is read again and again counts where it changed.
    const rows = summary.inserted + summary.updated;
    if (rows > 0) await countRows(tx, { sourceId: id, day: dayOf(clock.now()), rows });
    return true;
  });
  if (!isWritten) return null;
  for (const { writer } of writers) await writer.afterCommit?.();
  for (const { name, writer } of writers) if (hasRows(name)) await writer.afterwards?.();
  return { ...summary, rejects: rejects.groups(), warnings: warnings.groups() };

  function hasRows(name: (typeof ORDER)[number]): boolean {
    const albums = name === "posts" ? (batch.albums ?? []) : [];
    return (batch[name]?.length ?? 0) + albums.length > 0;
  }

  async function* rowsOf(tx: Transaction, name: (typeof ORDER)[number]): AsyncGenerator<Fields> {
    if (name === "channels") {
      for (const move of batch.moves ?? []) yield* movedRow(tx, move);
    }
    yield* batch[name] ?? [];
    if (name !== "posts") return;
    const { albums = [] } = batch;
    for (const one of albums) yield albumRow(tx, id, one, albums);
  }

  function writeRow(kind: ImportKind<never>, writer: RowWriter<never>, fields: Fields): void {
    const bad: BadCell[] = [];
    summary.read += 1;
    try {
      summary[writeWithout(kind, writer, readCells(kind, fields, rules, bad), rules, bad)] += 1;
      for (const { column, fault } of bad) warnings.add(column, fault, null, fields[column]);
    } catch (error) {
      if (!(error instanceof RowFault)) throw error;
      const { column, fault } = error;
      if (column === "subscribers" && fault.code === "requiredForNewChannel") {
        // The messenger told of a channel, and refuses its number.
        summary.read -= 1;
        writeRow(kind, writer, { ...fields, subscribers: 0 });
        return;
      }
      if (fault.code === "inFuture") throw new AppError("unavailable", message("sourceClock"));
      summary.rejected += 1;
      rejects.add(column, fault, null, column === null ? null : fields[column]);
    }
  }
}

/** A channel keeps its number here when it gets another at the messenger. */
function* movedRow(tx: Transaction, { from, to }: { from: string; to: string }): Generator<Fields> {
  const id = createChannelIds(tx).byMessengerId(parseMessengerId(from) ?? "");
  if (id !== undefined) yield { id, msgr_id: to };
}
