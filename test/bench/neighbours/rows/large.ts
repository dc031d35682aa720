import { statSync } from "node:fs";
import { elapsed } from "../../../support/webhook-journey.ts";
import { get, type SentRequest } from "../requests.ts";
import type { Row, Stage } from "../row.ts";
import { requestsRow } from "./requests-row.ts";
import { runCommands } from "./run-commands.ts";

const REFRESH_S_MAX = 60;
/** Requests a second that Profi allows. */
const RATE = 30;
const LOOK_MS = 100;
const MEGABYTE = 1_000_000;
const ORDERINGS = ["-subscribers", "-quality", "-last_post_at", "-citation"];

/** Searches for strings as people type them, in all orderings. */
function searches({ data: { strings, neighbour } }: Stage): SentRequest[] {
  return strings.map((q, at) => {
    const query = `q=${encodeURIComponent(q)}&ordering=${ORDERINGS[at % ORDERINGS.length]}`;
    return get(`/v1/msgr/channels/?${query}`, neighbour.key);
  });
}

const EXPENSIVE_ORDERINGS = ["-last_post_at", "-err_30d", "-reach_30d", "-growth_30d"];
const EXPENSIVE_FILTERS = ["&category=news&territory=russia", "&a_plus=true", "", "&category=news"];
const MANY_CONNECTIONS = 200;

/** Searches and statistics that read most channels, each with a different selection. */
function mostExpensive({ data: { strings, neighbour } }: Stage): SentRequest[] {
  const frequent = strings.filter((string) => /^\S{3}/.test(string));
  return frequent.map((string, at) => {
    const filter = `subscribers_min=${at}&q=${encodeURIComponent(string.slice(0, 3))}`;
    const searched = `ordering=${EXPENSIVE_ORDERINGS[at % 4]}${EXPENSIVE_FILTERS[at % 4]}&${filter}`;
    const path = at % 3 === 0 ? `stats/?${filter}` : `?${searched}`;
    return get(`/v1/msgr/channels/${path}`, neighbour.key);
  });
}

/** Writes all channels with other numbers of subscribers. */
function writeRefresh({ machine, data }: Stage, round: number): void {
  const rows = data.channels.map((id) => `${id},${((id * 7919) % 50_000) + round}\n`);
  machine.write("refresh.csv", `id,subscribers\n${rows.join("")}`);
}

const refresh: Row = {
  name: "refresh",
  does: "reads over 2 connections while all 300,000 channels are imported with other numbers of subscribers",
  size: "large",
  beforeRound: async (stage, round) => writeRefresh(stage, round),
  async beside(stage) {
    const { machine } = stage;
    const reading = { connections: 2, perSecond: RATE };
    const readers = stage.child("load.ts", {
      ...{ kind: "requests", requests: searches(stage), ...reading },
    });
    readers.begin();
    let walBytes = 0;
    let isOver = false;
    const watching = (async () => {
      while (!isOver) {
        const { size = 0 } = statSync(`${machine.database}-wal`, { throwIfNoEntry: false }) ?? {};
        walBytes = Math.max(walBytes, size);
        await elapsed(LOOK_MS);
      }
    })();
    const startedAtMs = performance.now();
    const words = ["import", "channels", "refresh.csv"];
    const run = await runCommands(stage, REFRESH_S_MAX, (at) => (at === 0 ? words : null));
    const tookS = (performance.now() - startedAtMs) / 1000;
    isOver = true;
    await watching;
    await readers.leave();
    const log = `the write-ahead log grew to ${Math.round(walBytes / MEGABYTE)} MB`;
    return { notes: [log, `${tookS.toFixed(0)} s, ${run.notes.join(", ")}`], broken: [] };
  },
};

/** Rows on the large database. */
export const largeRows: Row[] = [
  refresh,
  requestsRow({
    ...{ name: "searches", size: "large", connections: 8, perSecond: RATE },
    does: "searches 300,000 channels 30 times a second, in all orderings",
    requests: searches,
  }),
  requestsRow({
    ...{ name: "dear-searches", size: "large", connections: MANY_CONNECTIONS },
    does: `requests the most expensive searches and statistics over ${MANY_CONNECTIONS} connections, without a pause`,
    requests: mostExpensive,
  }),
  requestsRow({
    ...{ name: "cards", size: "large", connections: MANY_CONNECTIONS },
    does: `requests cards over ${MANY_CONNECTIONS} connections, without a pause`,
    requests: ({ data: { channels, neighbour } }) =>
      channels.slice(0, 200).map((id) => get(`/v1/msgr/channels/${id}/`, neighbour.key)),
  }),
];
