import { selectFound } from "./found.ts";
import type { Plan } from "./plan.ts";
import { afterCondition, textTests } from "./sql-parts.ts";

/** The one channel that has the handle, tested for all else that is asked. */
export const byHandle: Plan = {
  name: "by handle",
  applies: [{ words: "a handle is asked for", holds: ({ filter }) => filter.handle !== null }],
  run(db, query) {
    const text = textTests(query.tests);
    return selectFound(
      db,
      `SELECT c.id, c.${query.column} AS value
       FROM channel_cards k CROSS JOIN channels c ON c.id = k.id ${text.join}
       WHERE k.handle = @handle AND c.is_public = 1 AND c.is_chat = @isChat
         ${query.range} ${afterCondition(query)} ${text.where}`,
      query,
    );
  },
};
