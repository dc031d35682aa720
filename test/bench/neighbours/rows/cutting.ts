import type { Machine } from "../../../support/machine.ts";
import { elapsed } from "../../../support/webhook-journey.ts";
import { seededRandom } from "../../peers/data/random.ts";
import { sentences } from "../../peers/data/titles.ts";
import type { Row, Stage } from "../row.ts";
import { watchSame } from "./watching.ts";

/** Posts are put into events this often here, and by default once a minute. */
const BATCH_S = 5;
const USUAL_BATCH_S = 60;
const LOOK_MS = 200;
/** Posts' texts are parts of this one. */
export const TEXT = sentences(seededRandom(40), 100_000);
const TEXT_LENGTH = 400;

interface Cutting extends Pick<Row, "name" | "does" | "size"> {
  posts: number;
  /** How often posts are put into events. */
  batchS: number;
  /** Longest time from the end of the import until all events have been attempted. */
  onTheirWayS: number;
}

/**
 * A neighbour with as many webhooks and channels as its plan allows, and an import of new posts. All webhooks watch
 * the same channels and all posts are of these, which makes the most events.
 */
export function cuttingRow({ posts, batchS, onTheirWayS, ...row }: Cutting): Row {
  let watched: number[] = [];
  return {
    ...row,
    environment: { KANALOG_WEBHOOK_BATCH_SECONDS: String(batchS) },
    async prepare(stage) {
      watched = (await watchSame(stage))[0]?.channels ?? [];
    },
    async beforeRound({ machine }, round) {
      writeFreshPosts(machine, watched, { first: round * posts, count: posts });
    },
    async beside(stage) {
      const words = ["import", "posts", FILE, "--json"];
      const { exitCode, out, notes } = await stage.machine.runProgram(words);
      if (exitCode !== 0) {
        return { notes: [], broken: [`the import failed: ${notes.trim().split("\n").at(-1)}`] };
      }
      const { seconds } = JSON.parse(out) as { seconds: number };
      const startedAtMs = performance.now();
      const waitedS = (): number => (performance.now() - startedAtMs) / 1000;
      while (!areOnTheirWay(stage) && waitedS() < onTheirWayS) await elapsed(LOOK_MS);
      const tookS = waitedS();
      if (!areOnTheirWay(stage)) {
        const { inEvents, wanted } = counts(stage);
        const late = `${inEvents} of ${wanted} posts are in events after ${tookS.toFixed(0)} s`;
        return { notes: [], broken: [late] };
      }
      while (counts(stage).pending > 0 && waitedS() < onTheirWayS) await elapsed(LOOK_MS);
      const { delivered, wanted } = counts(stage);
      const attempted = `all events were attempted within ${tookS.toFixed(1)} s of its end`;
      return {
        notes: [`the import took ${seconds.toFixed(1)} s, ${attempted}`],
        broken: delivered === wanted ? [] : [`${delivered} of ${wanted} posts were delivered`],
      };
    },
  };
}

const FILE = "fresh-posts.ndjson";

/** Writes posts of each channel in turn, published now. @returns the file */
export function writeFreshPosts(
  machine: Machine,
  channels: readonly number[],
  { first, count }: { first: number; count: number },
): string {
  const published_at = new Date().toISOString();
  const lines = Array.from({ length: count }, (_, at) => {
    const from = (at * 17) % (TEXT.length - TEXT_LENGTH);
    const id = 10_000_000 + first + at;
    const text = TEXT.slice(from, from + TEXT_LENGTH);
    const channel = channels[at % channels.length];
    return `${JSON.stringify({ id, channel, published_at, text })}\n`;
  });
  machine.write(FILE, lines.join(""));
  return FILE;
}

/** Whether all posts are in events, and all events have been attempted at least once. */
function areOnTheirWay({ machine }: Stage): boolean {
  const [row] = machine.query<{ waiting: number }>(`
    SELECT EXISTS (SELECT 1 FROM read_posts) OR EXISTS (
      SELECT 1 FROM webhook_deliveries d WHERE state = 'pending' AND NOT EXISTS (
        SELECT 1 FROM webhook_attempts WHERE delivery_id = d.id)) AS waiting`);
  return row?.waiting === 0;
}

interface Counts {
  /** Posts to deliver, counted once for each webhook that watches their channel. */
  wanted: number;
  inEvents: number;
  delivered: number;
  /** Events waiting for an attempt. */
  pending: number;
}

function counts({ machine }: Stage): Counts {
  const [row] = machine.query<Counts>(`
    SELECT (SELECT count(*) FROM posts JOIN webhook_channels USING (channel_id)) AS wanted,
      coalesce(sum(json_array_length(posts)), 0) AS inEvents,
      coalesce(sum(json_array_length(posts)) FILTER (WHERE state = 'delivered'), 0) AS delivered,
      count(*) FILTER (WHERE state = 'pending') AS pending
    FROM webhook_deliveries WHERE event = 'post.created'`);
  if (row === undefined) throw new Error("a query of counts has a row");
  return row;
}

/** A shorter interval than the default; the time after it is what two minutes leave after the default one. */
const USUAL = { batchS: BATCH_S, onTheirWayS: 120 - USUAL_BATCH_S + BATCH_S };

export const cuttingRows: Row[] = [
  cuttingRow({
    ...USUAL,
    name: "cut",
    does: "has 5 webhooks x 5,000 channels while 30,000 fresh posts are imported and cut into events",
    posts: 30_000,
  }),
  cuttingRow({
    ...USUAL,
    ...{ name: "cut-large", size: "large", posts: 60_000 },
    does: "has 5 webhooks x 5,000 of 300,000 channels while 60,000 fresh posts are imported and cut",
  }),
];
