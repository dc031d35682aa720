/** Schema version 10. A migration that has shipped is never edited. */
export const oneIdentity = `
-- Telegram's -100… form and the bare form are one number (channels/messenger-id.ts), kept bare. Where both
-- stand in one file they are twins, and the second stays as it is: the check of the file names the pair.
UPDATE channel_cards SET msgr_id = -1000000000000 - msgr_id
WHERE msgr_id BETWEEN -1997852516352 AND -1000000000001 AND NOT EXISTS (
  SELECT 1 FROM channel_cards bare WHERE bare.msgr_id = -1000000000000 - channel_cards.msgr_id);

-- Handles that channels had before, so that they still find them. Null: when is not known, since a file
-- said so. Of two that were given up at one instant, the one with the larger id was the later.
CREATE TABLE former_handles (
  id INTEGER PRIMARY KEY,
  channel_id INTEGER NOT NULL REFERENCES channels (id),
  handle TEXT NOT NULL COLLATE NOCASE,
  given_up_at INTEGER,
  UNIQUE (handle, channel_id)
) STRICT;
CREATE INDEX former_handles_by_channel ON former_handles (channel_id);

-- The newest of them as the card shows them, separated by spaces.
ALTER TABLE channel_cards ADD COLUMN former_handles TEXT NOT NULL DEFAULT '';
UPDATE public_cards SET json = substr(json, 1, length(json) - 1) || ',"former_handles":[]}';

-- Channels that were merged or deleted, whose numbers are never given again.
CREATE TABLE removed_channels (
  id INTEGER PRIMARY KEY,
  -- The channel that got what it had; null: it was deleted.
  into_id INTEGER,
  removed_at INTEGER NOT NULL,
  -- 0: some of its rows are still to be moved or removed.
  is_done INTEGER NOT NULL CHECK (is_done IN (0, 1))
) STRICT;
CREATE INDEX removed_channels_by_into ON removed_channels (into_id) WHERE into_id IS NOT NULL;
CREATE INDEX removed_channels_under_way ON removed_channels (id) WHERE is_done = 0;
`;
