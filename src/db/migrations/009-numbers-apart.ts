/** Schema version 9. A migration that has shipped is never edited. */
export const numbersApart = `
-- What changes daily, numbers of subscribers and times of posts, stands in one narrow row and in narrow
-- indexes only: refreshing a channel writes two or three pages, and not fifteen.
DROP TABLE channel_search;
DROP INDEX channels_by_subscribers;
DROP INDEX channels_by_quality;
DROP INDEX channels_by_citation;
DROP INDEX channels_by_last_post;

-- Search texts (channels/search-text.ts): folded title and handle, and the facets of the filters, a line
-- each. The facets are kept as they are, behind the second line break.
CREATE TABLE channel_texts (
  id INTEGER PRIMARY KEY REFERENCES channels (id),
  search_text TEXT NOT NULL
) STRICT;
INSERT INTO channel_texts (id, search_text)
  SELECT c.id, fold_text(k.title) || char(10) || fold_text(coalesce(k.handle, '')) || char(10) ||
    substr(lines.rest, instr(lines.rest, char(10)) + 1)
  FROM channels c JOIN channel_cards k ON k.id = c.id
    JOIN (SELECT id, substr(search_text, instr(search_text, char(10)) + 1) AS rest FROM channels) lines
      ON lines.id = c.id
  ORDER BY c.id;
ALTER TABLE channels DROP COLUMN place;
ALTER TABLE channels DROP COLUMN search_text;

-- NULL is smaller than any value, so a descending index has the channels without one last. The row's
-- number, which each index ends with, breaks ties. 0 and 1 take no room in an index, the kind's name does.
ALTER TABLE channels ADD COLUMN is_chat INTEGER NOT NULL GENERATED ALWAYS AS (kind = 'chat') VIRTUAL;
CREATE INDEX channels_by_subscribers ON channels (is_chat, subscribers DESC) WHERE is_public = 1;
CREATE INDEX channels_by_quality ON channels (is_chat, quality DESC) WHERE is_public = 1;
CREATE INDEX channels_by_citation ON channels (is_chat, citation DESC) WHERE is_public = 1;
CREATE INDEX channels_by_last_post ON channels (is_chat, last_post_at DESC) WHERE is_public = 1;

-- The search index has channels by their numbers, which never change.
CREATE VIRTUAL TABLE channel_search USING fts5 (
  search_text, content = '', contentless_delete = 1, detail = none,
  tokenize = 'trigram case_sensitive 1'
);
INSERT INTO channel_search (rowid, search_text)
  SELECT t.id, t.search_text FROM channel_texts t JOIN channels c ON c.id = t.id
  WHERE c.is_public = 1 ORDER BY t.id;
-- As in schema version 8.
INSERT INTO channel_search (channel_search, rank) VALUES ('automerge', 0);
INSERT INTO channel_search (channel_search, rank) VALUES ('crisismerge', 1999);

-- Stored cards have a mark in the place of each value that changes daily (channels/stored-card.ts). A name
-- in its quotes stands in no text of theirs, where quotes are escaped.
UPDATE public_cards SET json =
  substr(json, 1, instr(json, '"subscribers":') + 13) || char(1) ||
  substr(json, instr(json, ',"category":'),
    instr(json, '"last_post_at":') + 15 - instr(json, ',"category":')) || char(2) || '}';
`;
