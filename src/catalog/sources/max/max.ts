import type { ImportSummary } from "../../imports/run-import.ts";
import { INTERRUPTED } from "../../imports/source.ts";
import type { AskApi } from "../ask-api.ts";
import type { BotAccess, BotMessenger, BotTools } from "../bots.ts";
import { NOTHING, type Outcome } from "../outcome.ts";
import type { SourcePosition } from "../sources.table.ts";
import { sumOf } from "../sum-summaries.ts";
import { createMaxApi, MAX_API } from "./max-api.ts";
import { changesOf, runMax } from "./run-max.ts";

/** MAX, by the description of its Bot API of July 2026, 0.0.32 (sources, section 4). */
export const max: BotMessenger = {
  api: MAX_API,
  schedule: "15m",
  token: /^[\w.:~+/=-]{10,500}$/,
  tokenExample: "f9LHodD0cOIrVvBtmhNpxjkzTq7",
  async nameOf({ api, token }, ask, signal) {
    const asked = createMaxApi(api, token, withSignal(ask, signal), UNPACED);
    const me = await asked.me();
    if ("failure" in me) return me;
    // Channels that the bot is added to from now on are behind this marker, whenever the first run is.
    const told = await asked.updates(null);
    if ("failure" in told || told.marker === null) return { bot: me.name };
    const { chats } = changesOf(told.updates, []);
    return { bot: me.name, position: { marker: told.marker }, chats };
  },
  run,
  async leave({ api, token }, { subscribed }, ask, signal) {
    if (subscribed === undefined) return;
    await createMaxApi(api, token, withSignal(ask, signal), UNPACED).unsubscribe(subscribed);
  },
};

/** For one request alone. */
const UNPACED = { monotonic: () => 0, sleep: async () => {} };

async function run(
  { api, token }: BotAccess,
  position: SourcePosition,
  tools: BotTools,
): Promise<Outcome> {
  const { signal, ask, elapsedMs, sleep } = tools;
  let summary: ImportSummary | null = null;
  const clock = { monotonic: elapsedMs, sleep: (durationMs: number) => sleep(durationMs) };
  const end = await runMax(position, tools.isWhole, {
    ...tools,
    api: createMaxApi(api, token, withSignal(ask, signal), clock),
    isStopping: () => signal.aborted,
    async apply(batch, at) {
      const applied = await tools.apply(batch, at);
      if (applied === null) return false;
      if (applied.read > 0) summary = sumOf(summary, applied);
      return true;
    },
  });
  const outcome = { ...NOTHING, summary, ...end };
  return signal.aborted ? { ...outcome, failure: INTERRUPTED } : outcome;
}

function withSignal(ask: AskApi, signal: AbortSignal): Parameters<typeof createMaxApi>[2] {
  return (request) => ask({ ...request, signal });
}
