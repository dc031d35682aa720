/** Schema version 13. A migration that has shipped is never edited. */
export const firstHour = `
-- Channels of the sample that ships, each as it was loaded: one that an import changed since is the
-- operator's own, and is not removed with the sample.
CREATE TABLE sample_channels (
  id INTEGER PRIMARY KEY,
  handle TEXT,
  title TEXT NOT NULL,
  subscribers INTEGER NOT NULL
) STRICT;
`;
