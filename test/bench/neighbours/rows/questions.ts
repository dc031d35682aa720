import { get } from "../requests.ts";
import type { Row } from "../row.ts";
import { requestsRow } from "./requests-row.ts";

/** Requests a second that Profi allows. */
const RATE = 30;
const CONNECTIONS = 4;
const COMPARED = 20;
const TRENDING = ["-growth_7d", "-growth_30d", "-growth_30d_percent", "-reach_30d", "-err_30d"];

/** The slowest requests of each kind about many channels. */
export const questionRows: Row[] = [
  requestsRow({
    name: "selection",
    does: "requests statistics of nearly all channels 30 times a second, each time of a different selection",
    ...{ connections: CONNECTIONS, perSecond: RATE },
    requests: ({ data: { neighbour } }) =>
      Array.from({ length: 300 }, (_, at) =>
        get(`/v1/msgr/channels/stats/?subscribers_min=${at}`, neighbour.key),
      ),
  }),
  requestsRow({
    name: "compare",
    does: "compares 20 channels over 366 days, 30 times a second",
    ...{ connections: CONNECTIONS, perSecond: RATE },
    requests: ({ data: { neighbour, channels } }) =>
      Array.from({ length: 50 }, (_, at) => {
        const ids = Array.from(
          { length: COMPARED },
          (_, place) => channels[(at * COMPARED + place) % channels.length],
        );
        return get(`/v1/msgr/channels/compare/?channels=${ids}`, neighbour.key);
      }),
  }),
  requestsRow({
    name: "trending",
    does: "searches ordered by growth, reach and ERR, 30 times a second",
    ...{ connections: CONNECTIONS, perSecond: RATE },
    requests: ({ data: { neighbour, strings } }) =>
      strings.map((q, at) => {
        const query = `q=${encodeURIComponent(q)}&ordering=${TRENDING[at % TRENDING.length]}`;
        return get(`/v1/msgr/channels/?${query}&include=metrics`, neighbour.key);
      }),
  }),
];
