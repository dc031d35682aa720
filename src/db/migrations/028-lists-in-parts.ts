/** Schema version 28. A migration that has shipped is never edited. */
export const listsInParts = `
-- While a webhook's rows of webhook_channels are being changed to what its list says, in several
-- transactions: the list by which its events are made meanwhile.
ALTER TABLE webhook_lists ADD COLUMN served TEXT;
CREATE INDEX webhook_lists_changing ON webhook_lists (webhook_id) WHERE served IS NOT NULL;
`;
