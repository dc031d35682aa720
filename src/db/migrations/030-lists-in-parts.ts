/** Schema version 30. A migration that has shipped is never edited. */
export const listsInParts = `
-- Webhooks whose rows of webhook_channels are being changed to what their list says, in several
-- transactions; and the list by which their events are made meanwhile.
CREATE TABLE changing_lists (
  webhook_id INTEGER PRIMARY KEY REFERENCES webhooks (id) ON DELETE CASCADE,
  served TEXT NOT NULL
) STRICT;
`;
