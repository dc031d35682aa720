import { formatInstant } from "../moscow-time.ts";
import type { Webhook } from "./webhooks.table.ts";

/** What owners and administrators are told when a webhook was disabled for its failures. */
export function disabledMail(
  { id, url, lastError, lastSuccessAt }: Webhook,
  organization: string,
): { subject: string; text: string } {
  const success = lastSuccessAt === null ? "none yet" : formatInstant(lastSuccessAt);
  return {
    subject: `Webhook ${id} of ${organization} was disabled`,
    text: `Not a single delivery of webhook ${id} of ${organization} succeeded for a day, so it was
disabled. Posts read from now on are not sent to it.

Address: ${url}
Last error: ${lastError}
Last success: ${success}

When the receiver works again, try it with
  POST /v1/msgr/webhooks/${id}/test/
and enable the webhook with
  PATCH /v1/msgr/webhooks/${id}/  {"is_active": true}
Posts are then sent from that moment on.
`,
  };
}
