import { elapsed } from "../../../support/webhook-journey.ts";
import { seededRandom } from "../../peers/data/random.ts";
import { sentences } from "../../peers/data/titles.ts";
import type { Row, Stage } from "../row.ts";
import { watchAll } from "./watching.ts";

/** Posts are cut this often here, and usually once a minute. */
const BATCH_S = 5;
const USUAL_BATCH_S = 60;
/** From the end of the import until all events are on their way, at the usual batch. */
const ON_THEIR_WAY_S_MAX = 120 - USUAL_BATCH_S + BATCH_S;
const LOOK_MS = 200;
const TEXT = sentences(seededRandom(40), 100_000);
const TEXT_LENGTH = 400;

function cutting(name: string, does: string, posts: number, more: Partial<Row> = {}): Row {
  return {
    ...{ name, does },
    environment: { KANALOG_WEBHOOK_BATCH_SECONDS: String(BATCH_S) },
    async prepare(stage) {
      await watchAll(stage);
    },
    async beforeRound(stage, round) {
      writeFreshPosts(stage, round * posts, posts);
    },
    async beside(stage) {
      const { machine } = stage;
      const imported = await machine.json<{ seconds: number }>(["import", "posts", FILE]);
      const endedAtMs = performance.now();
      const seconds = (): number => (performance.now() - endedAtMs) / 1000;
      while (!areOnTheirWay(stage) && seconds() < ON_THEIR_WAY_S_MAX) await elapsed(LOOK_MS);
      const tookS = seconds();
      const isDone = areOnTheirWay(stage);
      const { sent, wanted } = counts(stage);
      const done = `all events on their way ${tookS.toFixed(1)} s after it`;
      const late = `after ${tookS.toFixed(0)} s ${sent} of ${wanted} posts are in events`;
      return {
        notes: [`the import took ${imported.seconds.toFixed(1)} s, ${isDone ? done : late}`],
        broken: [
          ...(isDone ? [] : [late]),
          ...(isDone && sent !== wanted ? [`${sent} posts in events, ${wanted} were read`] : []),
        ],
      };
    },
    ...more,
  };
}

const FILE = "fresh-posts.ndjson";

/** Posts of each channel in turn, published now. @returns the file */
export function writeFreshPosts(
  { machine, data: { channels } }: Stage,
  first: number,
  count: number,
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

/** Cut, and attempted at least once. */
function areOnTheirWay({ machine }: Stage): boolean {
  const [row] = machine.query<{ waiting: number }>(`
    SELECT EXISTS (SELECT 1 FROM read_posts) OR EXISTS (
      SELECT 1 FROM webhook_deliveries d WHERE state = 'pending' AND NOT EXISTS (
        SELECT 1 FROM webhook_attempts WHERE delivery_id = d.id)) AS waiting`);
  return row?.waiting === 0;
}

/** Posts in events, and those that webhooks wait for. */
function counts({ machine }: Stage): { sent: number; wanted: number } {
  const [row] = machine.query<{ sent: number; wanted: number }>(`
    SELECT (SELECT coalesce(sum(json_array_length(posts)), 0)
        FROM webhook_deliveries WHERE event = 'post.created') AS sent,
      (SELECT count(*) FROM posts JOIN webhook_channels USING (channel_id)) AS wanted`);
  if (row === undefined) throw new Error("a query of counts has a row");
  return row;
}

export const cuttingRows: Row[] = [
  cutting(
    "cut",
    "has 5 webhooks x 5,000 channels while 30,000 fresh posts are imported and cut into events",
    30_000,
  ),
  cutting("cut-large", "the same with 300,000 channels and 60,000 posts", 60_000, {
    size: "large",
  }),
];
