/** What a neighbour sends, in a separate process; limited in number and time. */
import { type ConnectionsLoad, holdConnections } from "./loads/connections-load.ts";
import type { Note } from "./loads/pace.ts";
import { type RequestsLoad, sendRequests } from "./loads/requests-load.ts";
import { pingOften, type WebhooksLoad } from "./loads/webhooks-load.ts";
import { takeOrders, type Work } from "./orders.ts";

export type LoadSpec = RequestsLoad | ConnectionsLoad | WebhooksLoad;

/** Number of requests by outcome: a status, or how a request ended without one. */
export type Outcomes = Record<string, number>;

const SECONDS_MAX = 180;

if (import.meta.main) await takeOrders(load);

function load(spec: LoadSpec): Work {
  let outcomes: Outcomes = {};
  let over = new AbortController();
  let working: Promise<unknown> = Promise.resolve();
  const note: Note = (outcome) => {
    outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
  };
  return {
    begin() {
      outcomes = {};
      over = new AbortController();
      const signal = AbortSignal.any([over.signal, AbortSignal.timeout(SECONDS_MAX * 1000)]);
      working = run(spec, note, signal);
    },
    async end() {
      over.abort();
      await working;
      return outcomes;
    },
  };
}

function run(spec: LoadSpec, note: Note, over: AbortSignal): Promise<void> {
  switch (spec.kind) {
    case "requests":
      return sendRequests(spec, note, over);
    case "connections":
      return holdConnections(spec, note, over);
    case "webhooks":
      return pingOften(spec, note, over);
  }
}
