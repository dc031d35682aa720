import type { SentRequest } from "../requests.ts";
import { answered, type Row, type Stage } from "../row.ts";

type RequestsRow = Omit<Row, "prepare" | "beside"> & {
  connections: number;
  /** By default as fast as they are answered. */
  perSecond?: number;
  /** Creates the requests to send in turn; called once, before the first round. */
  requests(stage: Stage): SentRequest[] | Promise<SentRequest[]>;
};

/** A neighbour that only sends requests. */
export function requestsRow({ connections, perSecond, requests, ...row }: RequestsRow): Row {
  let made: SentRequest[] = [];
  return {
    ...row,
    async prepare(stage) {
      made = await requests(stage);
    },
    async beside(stage, seconds) {
      const pace = perSecond === undefined ? {} : { perSecond };
      const spec = { kind: "requests", requests: made, connections, ...pace } as const;
      return answered(await stage.load(spec, seconds));
    },
  };
}
