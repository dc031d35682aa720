/** Schema version 6. A migration that has shipped is never edited. */
export const searchPlaces = `
-- Where the search index has a channel: the bigger the channel, the earlier. So what is found comes in
-- nearly the catalog's usual order, and a search ends when its page is full. The number of subscribers
-- is taken by its length and half of its first two digits: while these stay, the index does. Below it
-- are 53 bits for the id.
ALTER TABLE channels ADD COLUMN place INTEGER NOT NULL GENERATED ALWAYS AS (
  ((900 - length(subscribers) * 50 - substr(subscribers || '0', 1, 2) / 2) << 53) + id
) VIRTUAL;
-- The index is written by the program (channels/search-index.ts), each transaction's channels in the
-- order of their places: FTS5 begins another segment at each row that comes before the one before.
DROP TRIGGER channel_search_insert;
DROP TRIGGER channel_search_update;
DROP TABLE channel_search;
CREATE VIRTUAL TABLE channel_search USING fts5 (
  search_text, content = '', contentless_delete = 1, detail = none,
  tokenize = 'trigram case_sensitive 1'
);
INSERT INTO channel_search (rowid, search_text)
  SELECT place, search_text FROM channels WHERE is_public = 1 ORDER BY place;
`;
