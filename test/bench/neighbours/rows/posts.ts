import { call, elapsed } from "../../../support/webhook-journey.ts";
import type { Row, Stage } from "../row.ts";
import { TEXT, writeFreshPosts } from "./cutting.ts";
import { watchSame } from "./watching.ts";

/** Requests a second that Profi allows. */
const RATE = 30;
const MATCHED_POSTS = 10_000;
/** Profi's limit. */
const ALERTS_MAX = 200;
/** Pause between creating two alerts, within the same rate. */
const MADE_EVERY_MS = 1_000 / RATE + 10;
const LOOK_MS = 200;
const MATCHED_WITHIN_S = 60;

/** Words of the posts with three letters or more; frequent ones are repeated. */
export const words = TEXT.match(/\p{L}{3,}/gu) ?? [];
export const wordAt = (at: number): string => words[(at * 37) % words.length] ?? "";

/** Imports posts that are published now, as if by a file. */
export async function importFresh(
  { machine, data }: Stage,
  first: number,
  count: number,
): Promise<void> {
  const file = writeFreshPosts(machine, data.channels, { first, count });
  const { exitCode, notes } = await machine.runProgram(["import", "posts", file]);
  if (exitCode !== 0) throw new Error(`the import failed: ${notes}`);
}

/** Creates alerts for frequent words. @returns their numbers */
export async function addAlerts(
  { serving, data }: Stage,
  webhook: number,
  count: number,
): Promise<number[]> {
  const made: number[] = [];
  for (let at = 0; at < count; at++) {
    const given = { name: `Alert ${at}`, q: wordAt(at), webhook };
    const { key } = data.neighbour;
    const { status, body } = await call<{ id: number }>(
      ...([serving, key, "POST", "/v1/msgr/alerts/", given] as const),
    );
    if (status !== 201) throw new Error(`an alert was answered ${status}`);
    made.push(body.id);
    await elapsed(MADE_EVERY_MS);
  }
  return made;
}

export const postRows: Row[] = [
  {
    name: "alerts",
    does: "has 200 alerts for frequent words while 10,000 new posts are imported",
    async prepare(stage) {
      const [webhook] = await watchSame(stage);
      await addAlerts(stage, webhook?.id ?? 0, ALERTS_MAX);
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
