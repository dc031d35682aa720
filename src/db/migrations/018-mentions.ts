/** Schema version 18. A migration that has shipped is never edited. */
export const mentions = `
-- Channels that posts link to, or are forwarded from, by the name that the post has for them
-- (mentions/mention-target.ts): which channel has that name is looked up when it is asked for.
CREATE TABLE mentions (
  target TEXT NOT NULL,
  -- The post's own, so that the newest are found without reading posts.
  published_at INTEGER NOT NULL,
  post_id INTEGER NOT NULL,
  channel_id INTEGER NOT NULL,
  -- 1: a link; 2: a forward; 3: both.
  kinds INTEGER NOT NULL CHECK (kinds IN (1, 2, 3)),
  PRIMARY KEY (target, published_at, post_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX mentions_by_post ON mentions (channel_id, published_at, post_id);

-- Whoever removes or moves a post, its mentions follow.
CREATE TRIGGER posts_removed_mentions AFTER DELETE ON posts BEGIN
  DELETE FROM mentions
  WHERE channel_id = old.channel_id AND published_at = old.published_at AND post_id = old.id;
END;
CREATE TRIGGER posts_moved_mentions AFTER UPDATE OF channel_id, published_at ON posts
WHEN new.channel_id <> old.channel_id OR new.published_at <> old.published_at BEGIN
  UPDATE mentions SET channel_id = new.channel_id, published_at = new.published_at
  WHERE channel_id = old.channel_id AND published_at = old.published_at AND post_id = old.id;
END;

-- Tables that are filled from what a database of a former version holds, in short steps while it is served
-- (background-builds.ts): rows up to a number are left. A build that is done has no row.
CREATE TABLE background_builds (
  name TEXT PRIMARY KEY,
  after_id INTEGER NOT NULL,
  until_id INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO background_builds (name, after_id, until_id)
  SELECT 'mentions', 0, max(id) FROM posts HAVING max(id) IS NOT NULL;
`;
