/** Schema version 25. A migration that has shipped is never edited. */
export const clusterMarks = `
-- Of the newest commit that the copy has, given at random: another history of the cluster, after its PostgreSQL
-- was put back to a former state, has another one at this version. Null for a commit of a former program.
ALTER TABLE cluster_copy ADD COLUMN mark TEXT;
`;
