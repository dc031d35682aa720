/** Schema version 24. A migration that has shipped is never edited. */
export const cluster = `
-- One row where the file is a node's copy of a cluster's shared rows.
CREATE TABLE cluster_copy (
  -- Of the cluster.
  id TEXT NOT NULL,
  -- Of the newest commit of shared rows that it has.
  version INTEGER NOT NULL,
  -- PostgreSQL's transactions before this one had ended when usage was copied last.
  usage_copied TEXT NOT NULL,
  -- When it was known to be the newest.
  newest_at INTEGER NOT NULL,
  -- Of this file, by which two nodes of one name are told apart.
  copy_id TEXT NOT NULL
) STRICT;
`;
