import { call, elapsed } from "../../../support/webhook-journey.ts";
import { get } from "../requests.ts";
import type { Row, Stage } from "../row.ts";
import { TEXT, writeFreshPosts } from "./cutting.ts";
import { requestsRow } from "./requests-row.ts";
import { watchSame } from "./watching.ts";

/** Requests a second that Profi allows. */
const RATE = 30;
const SEARCHED_POSTS = 20_000;
const MATCHED_POSTS = 10_000;
/** Profi's limit. */
const ALERTS_MAX = 200;
/** Pause between creating two alerts, within the same rate. */
const MADE_EVERY_MS = 1_000 / RATE + 10;
const LOOK_MS = 200;
const MATCHED_WITHIN_S = 60;

/** Words of the posts with three letters or more; frequent ones are repeated. */
const words = TEXT.match(/\p{L}{3,}/gu) ?? [];
const wordAt = (at: number): string => words[(at * 37) % words.length] ?? "";

async function importFresh({ machine, data }: Stage, first: number, count: number): Promise<void> {
  const file = writeFreshPosts(machine, data.channels, { first, count });
  const { exitCode, notes } = await machine.runProgram(["import", "posts", file]);
  if (exitCode !== 0) throw new Error(`the import failed: ${notes}`);
}

/** The slowest requests about posts. */
export const postRows: Row[] = [
  requestsRow({
    name: "search-posts",
    does: "searches 20,000 posts 30 times a second for prefixes, exact forms and phrases, by views and relevance",
    ...{ connections: 4, perSecond: RATE },
    async requests(stage) {
      await importFresh(stage, 0, SEARCHED_POSTS);
      return Array.from({ length: 120 }, (_, at) => {
        const [word, next] = [wordAt(at), words[((at * 37) % words.length) + 1] ?? ""];
        const [q = "", ordering = ""] = [
          [`${word.slice(0, 3)}*`, "-views"],
          [`=${word}`, "-views"],
          [`"${word} ${next}"`, "-relevance"],
          [`${word} | ${next}`, "-published_at"],
        ][at % 4] as [string, string];
        const query = new URLSearchParams({ q, ordering, is_ad: "false" });
        return get(`/v1/msgr/posts/search/?${query}`, stage.data.neighbour.key);
      });
    },
  }),
  {
    name: "alerts",
    does: "has 200 alerts for frequent words while 10,000 new posts are imported",
    async prepare(stage) {
      const [webhook] = await watchSame(stage);
      for (let at = 0; at < ALERTS_MAX; at += 1) {
        const body = { name: `Alert ${at}`, q: wordAt(at), webhook: webhook?.id };
        const { key } = stage.data.neighbour;
        const { status } = await call(stage.serving, key, "POST", "/v1/msgr/alerts/", body);
        await elapsed(MADE_EVERY_MS);
        if (status !== 201) throw new Error(`an alert was answered ${status}`);
      }
    },
    async beside(stage, _seconds, round) {
      const begunMs = performance.now();
      await importFresh(stage, round * MATCHED_POSTS, MATCHED_POSTS);
      const waiting = (): number =>
        stage.machine.query<{ n: number }>("SELECT count(*) AS n FROM alert_posts")[0]?.n ?? 0;
      const importedS = (performance.now() - begunMs) / 1000;
      const tookS = (): number => (performance.now() - begunMs) / 1000 - importedS;
      while (waiting() > 0 && tookS() < MATCHED_WITHIN_S) await elapsed(LOOK_MS);
      const left = waiting();
      return {
        notes: [`posts were matched ${tookS().toFixed(1)} s after the import`],
        broken: left === 0 ? [] : [`${left} posts were not matched`],
      };
    },
  },
];
