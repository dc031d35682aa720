/** Schema version 22. A migration that has shipped is never edited. */
export const takenDownTimes = `
-- When a post that was taken down was published: an export that ended with it goes on behind it. Null where
-- it never was in the catalog, or was taken down by a former version.
ALTER TABLE post_tombstones ADD COLUMN published_at INTEGER;
`;
