import { type Database, statement } from "../../db/database.ts";

/**
 * A channel that was deleted or merged into another, by the names that files may still have for it. A name
 * that a channel of the catalog took over is null.
 */
export interface RemovedChannel {
  id: number;
  msgr_id: string | null;
  handle: string | null;
  /** The channel that got what it had; null if it was deleted. */
  intoId: number | null;
  /** Whether rows that name it are kept out; otherwise the next one makes it a channel again. */
  isKeptOut: boolean;
}

interface StoredRemoval extends RemovedChannel {
  /** Whether some of its rows are still to be moved or removed. */
  isUnderWay: boolean;
}

/** The names that a row gives for a channel. */
interface Names {
  id?: number | null | undefined;
  msgr_id?: string | null | undefined;
  handle?: string | null | undefined;
}

const COLUMNS = `id, CAST(msgr_id AS TEXT) AS msgr_id, handle, into_id AS intoId,
  is_kept_out AS isKeptOut, is_done = 0 AS isUnderWay`;

const ANY = "SELECT 1 FROM removed_channels LIMIT 1";

/** Finds and writes removed channels, inside the caller's transactions. */
export function createRemovedChannels(db: Database) {
  const any = statement(db, ANY);
  const find = (condition: string) => {
    type Row = Omit<RemovedChannel, "isKeptOut"> & { isKeptOut: number; isUnderWay: number };
    const sql = `SELECT ${COLUMNS} FROM removed_channels WHERE ${condition} = ?`;
    const found = statement<Row>(db, sql);
    return (name: number | string): StoredRemoval | undefined => {
      const row = found.get(name);
      return row && { ...row, isKeptOut: row.isKeptOut === 1, isUnderWay: row.isUnderWay === 1 };
    };
  };
  const byId = find("id");
  const byMessengerId = find("msgr_id");
  const byHandle = find("handle");
  const nameIt = statement(db, "UPDATE removed_channels SET msgr_id = @msgr_id WHERE id = @id");
  const loseMessengerId = statement(
    db,
    "UPDATE removed_channels SET msgr_id = NULL WHERE msgr_id = ?",
  );
  const loseHandle = statement(db, "UPDATE removed_channels SET handle = NULL WHERE handle = ?");
  const lift = statement(
    db,
    "UPDATE removed_channels SET is_kept_out = 0 WHERE id = ? AND is_done = 1 AND is_kept_out = 1",
  );
  const forget = statement(db, "DELETE FROM removed_channels WHERE id = ? AND is_done = 1");
  const insert = statement(
    db,
    `INSERT INTO removed_channels (id, into_id, removed_at, is_done, msgr_id, handle, is_kept_out)
     VALUES (@id, @intoId, @removedAt, 1, @msgr_id, @handle, @isKeptOut)`,
  );

  return {
    byId,
    byMessengerId,
    byHandle,

    /**
     * The removed channel that a row is about, if it names none of the catalog: by number, messenger id or
     * handle, in this order. Of two with different messenger ids, a handle makes no one channel.
     */
    named({ id, msgr_id, handle }: Names): StoredRemoval | undefined {
      if (any.get() === undefined) return undefined;
      const named =
        (id == null ? undefined : byId(id)) ?? (msgr_id ? byMessengerId(msgr_id) : undefined);
      if (named !== undefined || !handle) return named;
      const had = byHandle(handle);
      return msgr_id == null || had?.msgr_id === null ? had : undefined;
    },

    /** Gives a messenger id to one that was known by its handle. */
    nameIt(id: number, messengerId: string): void {
      nameIt.run({ id, msgr_id: messengerId });
    },

    /** A channel of the catalog has these names now. */
    release({ msgr_id, handle }: Names): void {
      if (any.get() === undefined) return;
      if (msgr_id != null) loseMessengerId.run(msgr_id);
      if (handle != null) loseHandle.run(handle);
    },

    /** Lets the next row that names it make it a channel again. @returns false if it could already */
    lift: (id: number): boolean => lift.run(id).changes > 0,

    /** It is a channel again. */
    forget(id: number): void {
      forget.run(id);
    },

    /** Adds one that another appliance removed; names that others have here stay theirs. */
    insert({ isKeptOut, ...removed }: RemovedChannel, removedAt: number): void {
      const { msgr_id, handle } = removed;
      insert.run({
        ...removed,
        removedAt,
        isKeptOut: Number(isKeptOut),
        msgr_id: msgr_id !== null && byMessengerId(msgr_id) === undefined ? msgr_id : null,
        handle: handle !== null && byHandle(handle) === undefined ? handle : null,
      });
    },
  };
}

/**
 * SQL: number of the channel, public or not, that has a messenger id, or that one with it was merged into.
 * @param messengerId SQL expression of the id
 */
export function idOfMessengerId(messengerId: string): string {
  return `coalesce(
    (SELECT k.id FROM channel_cards k WHERE k.msgr_id = ${messengerId}),
    (SELECT m.into_id FROM removed_channels m WHERE m.msgr_id = ${messengerId}))`;
}

/** Removed channels by number, for exports. */
export function removedAfter(
  db: Database,
  afterId: number,
  limit: number,
): Iterable<{ id: number; merged_into: number | null; isKeptOut: number }> {
  const sql = `SELECT id, CAST(msgr_id AS TEXT) AS msgr_id, handle, into_id AS merged_into,
      is_kept_out AS isKeptOut
    FROM removed_channels WHERE id > ? ORDER BY id LIMIT ?`;
  return statement<{ id: number; merged_into: number | null; isKeptOut: number }>(db, sql).iterate(
    afterId,
    limit,
  );
}
