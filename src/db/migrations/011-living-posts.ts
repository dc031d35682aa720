/** Schema version 11. A migration that has shipped is never edited. */
export const livingPosts = `
ALTER TABLE posts ADD COLUMN edited_at INTEGER;
-- The time at which its views were read; null where they never were, and are 0 then. Null beside views above
-- 0, in posts of former versions: they were read with the post (posts/post.ts). To write that here would
-- rewrite every post under the lock, with a log of 1.4 GB at 2 million.
ALTER TABLE posts ADD COLUMN views_at INTEGER;
-- Kinds of its media, separated by spaces.
ALTER TABLE posts ADD COLUMN media TEXT;
ALTER TABLE posts ADD COLUMN forwards INTEGER CHECK (forwards >= 0);
ALTER TABLE posts ADD COLUMN reactions INTEGER CHECK (reactions >= 0);
ALTER TABLE posts ADD COLUMN comments INTEGER CHECK (comments >= 0);
-- Number of a channel that may be gone or hidden by now: it is looked up when the post is shown.
ALTER TABLE posts ADD COLUMN forwarded_from INTEGER;
ALTER TABLE posts ADD COLUMN forwarded_from_name TEXT;
ALTER TABLE posts ADD COLUMN album TEXT;

-- Posts that were taken down: their identity only, so that no import brings them back unasked.
CREATE TABLE post_tombstones (
  id INTEGER PRIMARY KEY,
  channel_id INTEGER NOT NULL REFERENCES channels (id) ON DELETE CASCADE,
  msgr_post_id INTEGER,
  deleted_at INTEGER NOT NULL
) STRICT;
CREATE INDEX post_tombstones_by_messenger_id ON post_tombstones (channel_id, msgr_post_id);

-- The highest number of posts that are gone, in one row. Customers know posts by their numbers, so none is
-- given again, even when the tombstone is gone with its channel.
CREATE TABLE post_numbers (highest INTEGER NOT NULL) STRICT;
INSERT INTO post_numbers VALUES (0);
-- Finds those of a post when it is removed.
CREATE INDEX read_posts_by_post ON read_posts (post_id);
CREATE TRIGGER posts_removed BEFORE DELETE ON posts BEGIN
  -- Posts that wait to be cut into events: this one is not sent.
  DELETE FROM read_posts WHERE post_id = old.id;
  UPDATE post_numbers SET highest = old.id WHERE highest < old.id;
END;
CREATE TRIGGER post_tombstones_added AFTER INSERT ON post_tombstones BEGIN
  UPDATE post_numbers SET highest = new.id WHERE highest < new.id;
END;

-- A post that is brought back is inserted before its tombstone is removed: it was read long ago, and is
-- not sent again.
DROP TRIGGER posts_read;
CREATE TRIGGER posts_read AFTER INSERT ON posts
WHEN new.published_at >= new.read_at - 2 * 24 * 60 * 60 * 1000
  AND EXISTS (SELECT 1 FROM webhook_channels WHERE channel_id = new.channel_id)
  AND NOT EXISTS (SELECT 1 FROM post_tombstones WHERE id = new.id)
BEGIN
  INSERT INTO read_posts (post_id) VALUES (new.id);
END;

-- 1: an import gave the value; 0: it is derived from the day's posts. Which of the two the days of former
-- versions were is not known: they count as given, since overwriting a given value would lose it.
ALTER TABLE daily_statistics ADD COLUMN views_given INTEGER NOT NULL DEFAULT 1 CHECK (views_given IN (0, 1));
ALTER TABLE daily_statistics ADD COLUMN posts_given INTEGER NOT NULL DEFAULT 1 CHECK (posts_given IN (0, 1));

-- Days with a derived value whose posts changed since (statistics/open-days.ts).
CREATE TABLE changed_days (
  channel_id INTEGER NOT NULL,
  day INTEGER NOT NULL,
  PRIMARY KEY (channel_id, day)
) STRICT, WITHOUT ROWID;
`;
