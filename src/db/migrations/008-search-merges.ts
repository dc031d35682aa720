/** Schema version 8. A migration that has shipped is never edited. */
export const searchMerges = `
-- Segments of the search index are merged in short transactions of their own (optimize-search.ts), not
-- within those that write to it. A merge of all segments of a size at once is put off as far as FTS5
-- allows.
INSERT INTO channel_search (channel_search, rank) VALUES ('automerge', 0);
INSERT INTO channel_search (channel_search, rank) VALUES ('crisismerge', 1999);
`;
