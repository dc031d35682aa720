import { type Database, statement } from "../../db/database.ts";
import { insertSql } from "../../db/named-columns.ts";

/** A post that was taken down, of which only the identity is kept. */
export interface Tombstone {
  /** The post's number. */
  id: number;
  channel: number;
  msgr_post_id: string | null;
}

const COLUMNS =
  "id, channel_id AS channel, CAST(msgr_post_id AS TEXT) AS msgr_post_id FROM post_tombstones";

/** Finds and writes tombstones; its calls come inside transactions. */
export function createTombstones(db: Database) {
  const byId = statement<Tombstone>(db, `SELECT ${COLUMNS} WHERE id = ?`);
  const byMessengerId = statement<Tombstone>(
    db,
    `SELECT ${COLUMNS} WHERE channel_id = ? AND msgr_post_id = ? LIMIT 1`,
  );
  const add = statement(
    db,
    insertSql("post_tombstones", ["id", "channel_id", "msgr_post_id", "deleted_at"]),
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

    add({ id, channel, msgr_post_id }: Tombstone, deletedAt: number): void {
      add.run({ id, channel_id: channel, msgr_post_id, deleted_at: deletedAt });
    },

    remove(id: number): void {
      remove.run(id);
    },

    /** Sets the channel's last post back to the one before a post that is gone, where that was the last. */
    moveLastPostBack(channel: number, publishedAt: number): void {
      moveLastPostBack.run({ channel, publishedAt });
    },
  };
}
