import { get } from "../requests.ts";
import type { Row } from "../row.ts";
import { requestsRow } from "./requests-row.ts";

/** Requests a second that Profi allows. */
const RATE = 30;

/** Bulk exports, of which an organization may run two at once, and pages of similar channels. */
export const exportRows: Row[] = [
  requestsRow({
    ...{ name: "exports", connections: 2 },
    does: "exports all channels and all days over 2 connections, one file after the other",
    requests: ({ data: { neighbour } }) => [
      get("/v1/msgr/export/channels/?format=ndjson", neighbour.key),
      get("/v1/msgr/export/stats/", neighbour.key),
    ],
  }),
  requestsRow({
    ...{ name: "similar", connections: 8, perSecond: RATE },
    does: "requests similar channels and mentions of a channel 30 times a second",
    requests: ({ data: { channels, neighbour } }) =>
      channels
        .slice(0, 200)
        .flatMap((id) => [
          get(`/v1/msgr/channels/${id}/similar/`, neighbour.key),
          get(`/v1/msgr/channels/${id}/mentions/`, neighbour.key),
        ]),
  }),
];
