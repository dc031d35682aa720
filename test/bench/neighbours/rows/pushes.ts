import { percentile } from "../../peers/statistics.ts";
import { type SentRequest, send, sendJson } from "../requests.ts";
import type { Row, Stage } from "../row.ts";
import { TEXT } from "./cutting.ts";

const POSTS_AT_ONCE = 100;
const TEXT_LENGTH = 400;
const ANSWER_MAX_MS = 10_000;
/** Promised by the operator's API. */
const USUAL_ANSWER_MS = 100;

/** Fresh posts of each channel in turn, as an operator's crawler sends them; the nth push has its own. */
function push({ data: { channels } }: Stage, key: string, nth: number): SentRequest {
  const published_at = new Date().toISOString();
  const rows = Array.from({ length: POSTS_AT_ONCE }, (_, place) => {
    const at = nth * POSTS_AT_ONCE + place;
    const from = (at * 17) % (TEXT.length - TEXT_LENGTH);
    const text = TEXT.slice(from, from + TEXT_LENGTH);
    return { channel: channels[at % channels.length], msgr_post_id: at + 1, published_at, text };
  });
  return sendJson("POST", "/operator/v1/posts/", key, JSON.stringify({ rows }));
}

function pushesRow(): Row {
  let key = "";
  let sent = 0;
  return {
    name: "pushes",
    does: `pushes ${POSTS_AT_ONCE} new posts at a time with an operator's key, one push after the other`,
    async prepare({ machine }) {
      const words = ["staff", "key", "create", "--name", "crawler", "--can", "data"];
      key = (await machine.json<{ key: string }>(words)).key;
    },
    async beside(stage, seconds) {
      const durationsMs: number[] = [];
      const broken = new Set<string>();
      const endsAtMs = performance.now() + seconds * 1000;
      while (performance.now() < endsAtMs) {
        const request = push(stage, key, sent);
        sent += 1;
        const sentAtMs = performance.now();
        const signal = AbortSignal.timeout(ANSWER_MAX_MS);
        const { status, text } = await send(stage.serving.address, request, signal);
        durationsMs.push(performance.now() - sentAtMs);
        if (status !== 200) broken.add(`a push was answered ${status}`);
        else if (JSON.parse(text).accepted !== POSTS_AT_ONCE) broken.add("posts were not accepted");
      }
      const [p50, p99] = [0.5, 0.99].map((share) => percentile(durationsMs, share).toFixed(1));
      if (percentile(durationsMs, 0.5) > USUAL_ANSWER_MS) {
        broken.add(`half of the pushes took over ${USUAL_ANSWER_MS} ms`);
      }
      return {
        notes: [`${durationsMs.length} pushes, each answered in ${p50} / ${p99} ms (p50/p99)`],
        broken: [...broken],
      };
    },
  };
}

export const pushRows: Row[] = [pushesRow()];
