import type { SentRequest } from "../requests.ts";
import { answered, type Row, type Stage } from "../row.ts";

type RequestsRow = Omit<Row, "prepare" | "beside"> & {
  connections: number;
  /** By default as fast as they are answered. */
  perSecond?: number;
  /** Whether some requests must succeed: otherwise the row proves nothing. */
  isLegal?: boolean;
  /** Creates the requests to send in turn; called once, before the first round. */
  requests(stage: Stage): SentRequest[] | Promise<SentRequest[]>;
};

/** A neighbour that only sends requests. */
export function requestsRow(given: RequestsRow): Row {
  const { connections, perSecond, isLegal = false, requests, ...row } = given;
  let made: SentRequest[] = [];
  return {
    ...row,
    async prepare(stage) {
      made = await requests(stage);
    },
    async beside(stage, seconds) {
      const pace = perSecond === undefined ? {} : { perSecond };
      const spec = { kind: "requests", requests: made, connections, ...pace } as const;
      const outcomes = await stage.load(spec, seconds);
      const { notes } = answered(outcomes);
      const isDone = Object.keys(outcomes).some((outcome) => outcome.startsWith("2"));
      return { notes, broken: isLegal && !isDone ? ["none of its requests succeeded"] : [] };
    },
  };
}
