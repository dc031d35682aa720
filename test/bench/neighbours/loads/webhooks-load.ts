import { send, sendJson, withKey } from "../requests.ts";
import { type Note, pause, SENT_MAX } from "./pace.ts";

/** Creates a webhook, tests it and deletes it, repeatedly. */
export interface WebhooksLoad {
  kind: "webhooks";
  address: string;
  key: string;
  url: string;
  channel: number;
}

/** Some 20 requests a second, within the plan's rate, because a refused deletion would leave a webhook behind. */
const PACE_MS = 140;

export async function pingOften(
  { address, key, url, channel }: WebhooksLoad,
  note: Note,
  over: AbortSignal,
): Promise<void> {
  const webhooks = "/v1/msgr/webhooks/";
  const body = JSON.stringify({ url, channels: [channel] });
  for (let times = 0; times < SENT_MAX && !over.aborted; times++) {
    try {
      const made = await send(address, sendJson("POST", webhooks, key, body), over);
      if (made.status === 201) {
        const own = `${webhooks}${(JSON.parse(made.text) as { id: number }).id}/`;
        const headers = withKey(key);
        const tested = await send(address, { verb: "POST", path: `${own}test/`, headers }, over);
        note(`ping ${tested.status}`);
        await send(address, { verb: "DELETE", path: own, headers }, over);
      } else note(made.status);
    } catch {
      note(over.aborted ? "under way" : "ended");
    }
    await pause(PACE_MS, over);
  }
}
