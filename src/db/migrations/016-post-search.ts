/** Schema version 16. A migration that has shipped is never edited. */
export const postSearch = `
-- Stems, tags, handles and facets of the posts of public channels (post-search/post-search.md). Columns of
-- their own would cost two bytes an entry. Merged in short transactions, as channel_search.
CREATE VIRTUAL TABLE post_search USING fts5 (
  tokens, content = '', contentless_delete = 1, tokenize = "ascii tokenchars '#@_/+'"
);
INSERT INTO post_search (post_search, rank) VALUES ('automerge', 0);
INSERT INTO post_search (post_search, rank) VALUES ('crisismerge', 400);
INSERT INTO post_search (post_search, rank) VALUES ('usermerge', 8);

-- The posts that the index has, by their rows in it, which are in the order of minutes but for some.
CREATE TABLE searched_posts (
  row INTEGER PRIMARY KEY,
  post_id INTEGER NOT NULL UNIQUE,
  channel_id INTEGER NOT NULL,
  published_at INTEGER NOT NULL,
  views INTEGER NOT NULL,
  -- How many words the text has.
  words INTEGER NOT NULL
) STRICT;

-- One row. Posts up to a number are in the index while it is built; the others follow.
CREATE TABLE post_search_state (
  phase TEXT NOT NULL CHECK (phase IN ('off', 'clearing', 'building', 'ready')),
  after_id INTEGER NOT NULL,
  -- How far behind the first row of its minute a post's row lies at the most.
  spill INTEGER NOT NULL DEFAULT 0,
  -- Another one since the index was emptied.
  edition INTEGER NOT NULL DEFAULT 0
) STRICT;
INSERT INTO post_search_state (phase, after_id)
  SELECT iif(EXISTS (SELECT 1 FROM posts), 'building', 'ready'), 0;

-- The stems that the index has, and estimated in how many posts each is. FTS5 reads all posts of a term
-- to name it.
CREATE TABLE post_search_stems (
  stem TEXT PRIMARY KEY,
  posts INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Channels whose facets, or whether they are public, differ from what the index has of their posts; with
-- the post up to which it was brought to them.
CREATE TABLE post_search_stale (
  channel_id INTEGER PRIMARY KEY,
  after_at INTEGER NOT NULL,
  after_id INTEGER NOT NULL
) STRICT;
CREATE TRIGGER post_search_facets AFTER UPDATE OF search_text ON channel_texts
WHEN substr(old.search_text, instr(old.search_text, char(10)))
  <> substr(new.search_text, instr(new.search_text, char(10)))
BEGIN
  INSERT INTO post_search_stale (channel_id, after_at, after_id)
    SELECT new.id, -9007199254740991, 0
    WHERE (SELECT phase FROM post_search_state) IN ('building', 'ready')
      AND EXISTS (SELECT 1 FROM posts WHERE channel_id = new.id)
    ON CONFLICT (channel_id) DO UPDATE SET after_at = excluded.after_at, after_id = 0;
END;
CREATE TRIGGER post_search_public AFTER UPDATE OF is_public ON channels
WHEN old.is_public <> new.is_public
BEGIN
  INSERT INTO post_search_stale (channel_id, after_at, after_id)
    SELECT new.id, -9007199254740991, 0
    WHERE (SELECT phase FROM post_search_state) IN ('building', 'ready')
      AND EXISTS (SELECT 1 FROM posts WHERE channel_id = new.id)
    ON CONFLICT (channel_id) DO UPDATE SET after_at = excluded.after_at, after_id = 0;
END;
CREATE TRIGGER post_search_channel_gone AFTER DELETE ON channels BEGIN
  DELETE FROM post_search_stale WHERE channel_id = old.id;
END;

-- A post that is gone, for whatever reason, is found no more.
CREATE TRIGGER post_search_post_gone AFTER DELETE ON posts BEGIN
  DELETE FROM post_search WHERE rowid = (SELECT row FROM searched_posts WHERE post_id = old.id);
  DELETE FROM searched_posts WHERE post_id = old.id;
END;
`;
