/** Schema version 26. A migration that has shipped is never edited. */
export const stemsOfTwo = `
-- Words of two letters are their own stem now: an index with their former stems is emptied and built anew, in
-- the background.
UPDATE post_search_state SET phase = 'clearing', after_id = 0
WHERE phase IN ('building', 'ready') AND EXISTS (SELECT 1 FROM searched_posts);
`;
