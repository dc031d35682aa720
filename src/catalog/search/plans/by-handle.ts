import { selectFound } from "./found.ts";
import type { Plan } from "./plan.ts";
import { afterCondition, textTests } from "./sql-parts.ts";

/** The single channel that a handle or link refers to, tested against all other filters. */
export const byHandle: Plan = {
  name: "by handle",
  applies: [{ words: "a handle is asked for", holds: ({ filter }) => filter.channelId !== null }],
  run(db, query) {
    const text = textTests(query.tests);
    return selectFound(
      db,
      `SELECT c.id, ${query.value} AS value
       FROM channels c ${query.metricsJoin} ${text.join}
       WHERE c.id = @channelId AND c.is_public = 1 AND c.is_chat = @isChat
         ${query.conditions} ${afterCondition(query)} ${text.where}`,
      query,
    );
  },
};
