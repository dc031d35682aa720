import { type Database, statement } from "../../db/database.ts";
import { insertSql } from "../../db/statement.ts";

/** A post that was taken down; only its identity is kept. */
export interface Tombstone {
  id: number;
  channel: number;
  msgr_post_id: string | null;
}

/** How a post was taken down; instants are in epoch milliseconds. */
interface Removal {
  deletedAt: number;
  publishedAt: number | null;
  /** Whether no event had included it before. */
  isUnsent: boolean;
}

const COLUMNS =
  "id, channel_id AS channel, CAST(msgr_post_id AS TEXT) AS msgr_post_id FROM post_tombstones";

/**
 * SQL: whether no event can have included a post yet, neither of webhooks that watch its channel nor of
 * alerts. Posts are put into events in order, so a webhook whose position is past the post may already have
 * received it.
 */
const WAITS = `
  SELECT 1 WHERE (
    EXISTS (SELECT 1 FROM read_posts r WHERE r.post_id = @id AND NOT EXISTS (
      SELECT 1 FROM webhook_channels wc CROSS JOIN webhooks w ON w.id = wc.webhook_id
      WHERE wc.channel_id = @channel AND wc.since_sequence < r.sequence
        AND w.since_sequence >= r.sequence))
    OR NOT EXISTS (SELECT 1 FROM webhook_channels WHERE channel_id = @channel)
      AND EXISTS (SELECT 1 FROM alert_posts WHERE post_id = @id)
  ) AND (
    NOT EXISTS (SELECT 1 FROM alerts)
    OR EXISTS (SELECT 1 FROM alert_posts r WHERE r.post_id = @id AND NOT EXISTS (
      SELECT 1 FROM alerts a WHERE a.since_sequence < r.sequence AND a.cut_sequence >= r.sequence)))`;

/** Finds and writes tombstones, inside the caller's transactions. */
export function createTombstones(db: Database) {
  const byId = statement<Tombstone>(db, `SELECT ${COLUMNS} WHERE id = ?`);
  const byMessengerId = statement<Tombstone>(
    db,
    `SELECT ${COLUMNS} WHERE channel_id = ? AND msgr_post_id = ? LIMIT 1`,
  );
  const waits = statement(db, WAITS);
  const unsent = statement(db, "SELECT 1 FROM post_tombstones WHERE id = ? AND deleted_at < 0");
  const add = statement(
    db,
    insertSql("post_tombstones", [
      "id",
      "channel_id",
      "msgr_post_id",
      "deleted_at",
      "published_at",
    ]),
  );
  const remove = statement(db, "DELETE FROM post_tombstones WHERE id = ?");
  const moveLastPostBack = statement(
    db,
    `UPDATE channels SET last_post_at =
       (SELECT max(published_at) FROM posts WHERE channel_id = @channel)
     WHERE id = @channel AND last_post_at = @publishedAt`,
  );
  return {
    byId: (id: number): Tombstone | undefined => byId.get(id),
    byMessengerId: (channelId: number, messengerId: string): Tombstone | undefined =>
      byMessengerId.get(channelId, messengerId),

    /** Whether no event has included a stored post yet. */
    waitsForEvent: ({ id, channel }: Tombstone): boolean =>
      waits.get({ id, channel }) !== undefined,

    /** Whether no event had included a tombstone's post when it was taken down. */
    isUnsent: (id: number): boolean => unsent.get(id) !== undefined,

    /**
     * Adds a tombstone. `isUnsent` is stored as the sign of `deleted_at`, because it has no column of its
     * own.
     * @param publishedAt null if unknown
     */
    add(
      { id, channel, msgr_post_id }: Tombstone,
      { deletedAt, publishedAt, isUnsent }: Removal,
    ): void {
      const signed = isUnsent ? -deletedAt : deletedAt;
      const values = { id, channel_id: channel, msgr_post_id };
      add.run({ ...values, deleted_at: signed, published_at: publishedAt });
    },

    remove(id: number): void {
      remove.run(id);
    },

    /** Sets the channel's last post back to the preceding one if the deleted post was the last. */
    moveLastPostBack(channel: number, publishedAt: number): void {
      moveLastPostBack.run({ channel, publishedAt });
    },
  };
}
