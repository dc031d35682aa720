/** Schema version 29. A migration that has shipped is never edited. */
export const timeBudgets = `
-- Milliseconds a second that an organization's queries and changes may take.
ALTER TABLE plans ADD COLUMN database_ms_per_second INTEGER NOT NULL DEFAULT 250;
ALTER TABLE plans ADD COLUMN lock_ms_per_second INTEGER NOT NULL DEFAULT 50;
-- Why a request was refused or failed, as JSON; only of statuses 429 and above.
ALTER TABLE request_log ADD COLUMN reason TEXT;
`;
