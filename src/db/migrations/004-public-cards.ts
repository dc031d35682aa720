/** Schema version 4. A migration that has shipped is never edited. */
export const publicCards = `
-- Cards of public channels as they are shown (channels/card.ts), made when they change and read as
-- they lie: a page of fifty would else take five hundred texts out of the database.
CREATE TABLE public_cards (
  id INTEGER PRIMARY KEY REFERENCES channels (id),
  json TEXT NOT NULL
) STRICT;
INSERT INTO public_cards (id, json)
  SELECT c.id, json_object(
    'id', c.id, 'handle', k.handle, 'title', k.title, 'description', k.description,
    'link', k.link, 'image', k.image, 'kind', c.kind, 'subscribers', c.subscribers,
    'category', k.category,
    -- Slugs, separated by spaces.
    'categories', json(iif(k.categories = '', '[]',
      '["' || replace(k.categories, ' ', '","') || '"]')),
    'territory', k.territory,
    'a_plus', json(iif(k.a_plus, 'true', 'false')),
    'verified', json(iif(k.verified, 'true', 'false')),
    'quality', c.quality, 'citation', c.citation,
    -- Moscow's time.
    'last_post_at', strftime('%Y-%m-%dT%H:%M:%S+03:00', c.last_post_at / 1000, 'unixepoch', '+3 hours'))
  FROM channels c JOIN channel_cards k ON k.id = c.id
  WHERE c.is_public = 1 ORDER BY c.id;
`;
