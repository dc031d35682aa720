import { snippetOf } from "../../../catalog/post-search/finding/snippet.ts";
import { readPostQuery } from "../../../catalog/post-search/post-query.ts";
import type { Transaction } from "../../../db/database.ts";
import { onOneLine } from "../../../ports/mail.ts";
import { message } from "../../../values/messages/messages.ts";
import { formatInstant } from "../../../values/moscow-time.ts";
import { noticeMail, queueNotice } from "../../mail/notices.ts";
import { mailedMembers } from "./alerts.store.ts";
import type { Alert } from "./alerts.table.ts";
import type { DigestPost } from "./match-posts.store.ts";

/** Posts that a mail shows; it says how many more there are. */
const SHOWN_MAX = 20;

/** Path of the page that ends an alert's mails to one member. */
export const UNSUBSCRIBE_PATH = "/account/alert-mails/";

/**
 * Queues the mail about a digest to each member who wants it, in the caller's transaction.
 * @param address the appliance's; null if it is unknown, and mails can have no links
 */
export async function mailDigest(
  tx: Transaction,
  { id, name, q }: Pick<Alert, "id" | "name" | "q">,
  posts: readonly DigestPost[],
  nowMs: number,
  address: string | null,
): Promise<void> {
  if (posts.length === 0 || address === null) return;
  const of = { alert: onOneLine(name), posts: posts.length };
  const query = readPostQuery(q) ?? { all: [], none: [] };
  const lines = posts.slice(0, SHOWN_MAX).map(({ publishedAt, title, link, text }) => {
    const at = formatInstant(publishedAt).slice(0, 16).replace("T", " ");
    return [`${at} ${title}: ${snippetOf(text, query).snippet}`, link ?? ""].join(" ");
  });
  if (posts.length > SHOWN_MAX) lines.push(`… +${posts.length - SHOWN_MAX}`);
  for (const { email, token } of await mailedMembers(tx, { alertId: id })) {
    const unsubscribe = `${address}${UNSUBSCRIBE_PATH}?token=${token}`;
    const mail = noticeMail(message("digestMailSubject", of), message("digestMail", of), [
      ...lines,
      [message("alertPage"), `${address}/account/alerts/${id}/`],
      [message("unsubscribe"), unsubscribe],
    ]);
    await queueNotice(tx, nowMs, mail, { email, unsubscribe });
  }
}
