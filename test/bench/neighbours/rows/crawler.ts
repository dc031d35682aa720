import type { Row } from "../row.ts";
import { requestsRow } from "./requests-row.ts";

/** Pages of channels that are crawled, of which hardly any is kept: they outnumber what a moment remembers. */
const PAGES = 20_000;
const CONNECTIONS = 16;

/** Each request comes from an address of its own, so that no limit by address protects the customers. */
const from = (at: number) => `198.${18 + (at >> 16)}.${(at >> 8) & 255}.${at & 255}`;

const crawler: Row = requestsRow({
  name: "crawler",
  does: "crawls 20,000 channels' public pages from as many addresses, as fast as they are answered",
  environment: { KANALOG_PUBLIC: "charts", KANALOG_TRUST_PROXY: "true" },
  connections: CONNECTIONS,
  isLegal: true,
  requests: ({ machine }) =>
    machine
      .query<{ handle: string }>(
        `SELECT handle FROM channel_cards WHERE handle IS NOT NULL AND id IN (SELECT id FROM public_cards) LIMIT ${PAGES}`,
      )
      .map(({ handle }, at) => ({
        ...{ verb: "GET", path: `/c/${handle}/` },
        headers: { "x-forwarded-for": from(at) },
      })),
});

export const crawlerRows: Row[] = [
  crawler,
  { ...crawler, name: "crawler-large", does: `${crawler.does}, of 300,000`, size: "large" },
];
