import type { Removal, Watchers } from "../../../catalog/manage/removals.store.ts";
import { type Database, statement, type Transaction } from "../../../db/database.ts";
import { replaceInList } from "./watched-channels.store.ts";

/** What happens to webhooks, and to alerts, whose channel is being merged or deleted. */
export const channelWatchers: Watchers = {
  count(db: Database, channelId: number): number {
    const sql = "SELECT count(*) AS webhooks FROM webhook_channels WHERE channel_id = ?";
    return statement<{ webhooks: number }>(db, sql).get(channelId)?.webhooks ?? 0;
  },

  /**
   * Makes webhooks that watch the removed channel watch the other one too. They keep watching the removed
   * one meanwhile, so that none of its posts is missed, moved or not.
   */
  watchOther(tx: Transaction, { id, intoId }: Removal): void {
    statement(
      tx,
      `INSERT INTO webhook_channels (channel_id, webhook_id, since_sequence)
       SELECT @intoId, webhook_id, since_sequence FROM webhook_channels WHERE channel_id = @id
       ON CONFLICT (channel_id, webhook_id) DO UPDATE SET
         since_sequence = min(since_sequence, excluded.since_sequence)`,
    ).run({ id, intoId });
    // Alerts change their channel at once: for them, posts not moved yet count as the other channel's.
    statement(tx, "UPDATE alerts SET channel_id = ? WHERE channel_id = ?").run(intoId, id);
  },

  /**
   * Makes one webhook stop watching the removed channel: in its list, the other channel, if any, takes its
   * place.
   * @returns false if none watched it
   */
  async leaveNext(tx: Transaction, { id, intoId }: Removal): Promise<boolean> {
    const next = statement<{ webhookId: number }>(
      tx,
      "SELECT webhook_id AS webhookId FROM webhook_channels WHERE channel_id = ? LIMIT 1",
    ).get(id);
    if (next === undefined) return false;
    const { webhookId } = next;
    await replaceInList(tx, webhookId, { id, intoId });
    statement(tx, "DELETE FROM webhook_channels WHERE channel_id = ? AND webhook_id = ?").run(
      id,
      webhookId,
    );
    return true;
  },
};
