/** Schema version 5. A migration that has shipped is never edited. */
export const searchTrigrams = `
-- How many channels have a trigram of the search index in their search text; only those that many
-- have. Counted now and then (channels/search-terms.ts): a search is right with any counts.
CREATE TABLE search_trigrams (
  trigram TEXT PRIMARY KEY,
  channels INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
`;
