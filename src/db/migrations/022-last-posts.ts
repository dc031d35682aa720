/** Schema version 22. A migration that has shipped is never edited. */
export const lastPosts = `
-- Channels in the order of their last posts, in place of an index. Refreshing a million channels moves a
-- third of them from places all over the order to the newest day, and wrote most of its pages for that. So
-- the order is coarse: it has channels by number within steps of some 17 minutes (2^20 ms), which are
-- sorted when they are read. And an entry that a later one took over from stays until the night
-- (search/last-post-order.ts): it is told by its time, which is not the channel's any more.
CREATE TABLE last_post_order (
  is_chat INTEGER NOT NULL,
  -- Channels without a post are in the last step of all.
  step INTEGER NOT NULL,
  id INTEGER NOT NULL,
  last_post_at INTEGER,
  PRIMARY KEY (is_chat, step DESC, id)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER channels_put_in_order AFTER INSERT ON channels BEGIN
  INSERT INTO last_post_order (is_chat, step, id, last_post_at)
  VALUES (new.is_chat, ifnull(new.last_post_at >> 20, -9007199254740991), new.id, new.last_post_at)
  ON CONFLICT DO UPDATE SET last_post_at = excluded.last_post_at;
END;
CREATE TRIGGER channels_moved_in_order AFTER UPDATE OF kind, last_post_at ON channels
WHEN new.kind <> old.kind OR new.last_post_at IS NOT old.last_post_at BEGIN
  INSERT INTO last_post_order (is_chat, step, id, last_post_at)
  VALUES (new.is_chat, ifnull(new.last_post_at >> 20, -9007199254740991), new.id, new.last_post_at)
  ON CONFLICT DO UPDATE SET last_post_at = excluded.last_post_at;
END;

-- Until all are in it, the index channels_by_last_post is read; with the last one it goes. Where there is
-- no channel yet it goes at once (migrate.ts).
INSERT INTO background_builds (name, after_id, until_id)
  SELECT 'last_post_order', 0, max(id) FROM channels HAVING max(id) IS NOT NULL;
`;
