/** Schema version 20. A migration that has shipped is never edited. */
export const workers = `
-- Work that one process does for all of them: who has it, and when that process last said so.
CREATE TABLE leases (
  name TEXT PRIMARY KEY,
  -- Null where nobody has it.
  owner TEXT,
  heartbeat_at INTEGER NOT NULL
) STRICT;
INSERT INTO leases VALUES ('upkeep', NULL, 0);

-- Counts the changes of cards, whoever makes them: units are committed all the time, and by it a serving
-- process knows that what another one committed left its cached cards as they are.
CREATE TABLE cards_version (version INTEGER NOT NULL) STRICT;
INSERT INTO cards_version VALUES (1);
CREATE TRIGGER public_cards_added AFTER INSERT ON public_cards BEGIN
  UPDATE cards_version SET version = version + 1;
END;
CREATE TRIGGER public_cards_changed AFTER UPDATE ON public_cards BEGIN
  UPDATE cards_version SET version = version + 1;
END;
CREATE TRIGGER public_cards_removed AFTER DELETE ON public_cards BEGIN
  UPDATE cards_version SET version = version + 1;
END;
CREATE TRIGGER channels_changed AFTER UPDATE OF subscribers, last_post_at ON channels BEGIN
  UPDATE cards_version SET version = version + 1;
END;
`;
