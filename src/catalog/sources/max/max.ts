import type { BotMessenger } from "../bot-messenger.ts";
import { createMaxApi, MAX_API } from "./max-api.ts";
import { changesOf } from "./max-updates.ts";
import { runMax } from "./run-max.ts";

/** MAX, according to the description of its Bot API of July 2026, 0.0.32 (sources, section 4). */
export const max: BotMessenger = {
  name: "MAX",
  api: MAX_API,
  schedule: "15m",
  token: /^[\w.:~+/=-]{10,500}$/,
  tokenExample: "f9LHodD0cOIrVvBtmhNpxjkzTq7",
  async nameOf(access, ask, signal) {
    const api = createMaxApi(access, ask, signal);
    const me = await api.me();
    if ("failure" in me) return me;
    // Channels that the bot is added to from now on come after this marker, whenever the first run is.
    const latest = await api.updates(null);
    if ("failure" in latest || latest.marker === null) return { bot: me.name };
    const { chats } = changesOf(latest.updates, []);
    return { bot: me.name, position: { marker: latest.marker }, chats };
  },
  run: runMax,
  async leave(access, { subscribed }, ask, signal) {
    if (subscribed !== undefined) await createMaxApi(access, ask, signal).unsubscribe(subscribed);
  },
};
