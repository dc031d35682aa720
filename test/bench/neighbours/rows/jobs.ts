import { formatDay } from "../../../../src/values/moscow-time.ts";
import { until } from "../../../support/until.ts";
import { remoteVisitor, type Visitor } from "../../../support/visitor.ts";
import type { Row, Stage } from "../row.ts";
import { TEXT } from "./cutting.ts";
import { addDeliveries, watchAll } from "./watching.ts";

const JOBS = ["close-day", "metrics", "recount", "optimize-search", "retention"];
const DAY_MS = 24 * 60 * 60 * 1000;
/** Age of deliveries older than the log keeps them. */
const OLD_MS = 31 * DAY_MS;
const OLD_DELIVERIES = 20_000;
/** Posts of five days, for trending words. */
const WRITTEN = 100_000;

export const jobs: Row = jobsRow();

function jobsRow(): Row {
  let staff: Visitor;
  let webhook = 0;
  return {
    name: "jobs",
    does: "runs the nightly jobs one after another, repeatedly",
    environment: { KANALOG_BACKUP_DIR: "." },
    async prepare(stage) {
      webhook = (await watchAll(stage))[0]?.id ?? 0;
      staff = await staffOf(stage);
    },
    async beforeRound(stage) {
      addDeliveries(stage, webhook, { count: OLD_DELIVERIES, ageMs: OLD_MS });
      openYesterday(stage);
    },
    async beside(stage, seconds) {
      const endsAtMs = performance.now() + seconds * 1000;
      const longestMs: Record<string, number> = {};
      // A backup's name has seconds, so only one is made in each round.
      const once = ["backup", ...JOBS];
      for (let runs = 0; runs < once.length || performance.now() < endsAtMs; runs++) {
        const job = once[runs] ?? JOBS[runs % JOBS.length] ?? "";
        longestMs[job] = Math.max(longestMs[job] ?? 0, await runJob(stage, staff, job));
      }
      const longest = Object.entries(longestMs).map(([job, ms]) => `${job} ${ms.toFixed(0)} ms`);
      return { notes: [`longest: ${longest.join(", ")}`], broken: [] };
    },
  };
}

/** Finds trending words in posts of five days. */
export const trends: Row = {
  name: "trends",
  does: `finds trending words in ${WRITTEN.toLocaleString("en")} posts, repeatedly`,
  async prepare({ machine, data: { channels } }) {
    const db = machine.open();
    const post = db.prepare(
      `INSERT INTO posts (channel_id, published_at, is_ad, views, views_at, read_at, text)
       VALUES (?, ?, 0, 100, 1, 1, ?)`,
    );
    db.exec("BEGIN");
    for (let at = 0; at < WRITTEN; at++) {
      const from = (at * 17) % (TEXT.length - 400);
      const publishedAt = Date.now() - Math.floor((at * 5 * DAY_MS) / WRITTEN);
      post.run(channels[at % channels.length], publishedAt, TEXT.slice(from, from + 400));
    }
    db.exec("COMMIT");
    db.close();
  },
  async beside(stage, seconds) {
    const staff = await staffOf(stage);
    const endsAtMs = performance.now() + seconds * 1000;
    let longestMs = 0;
    do longestMs = Math.max(longestMs, await runJob(stage, staff, "trends"));
    while (performance.now() < endsAtMs);
    return { notes: [`longest: ${(longestMs / 1000).toFixed(1)} s`], broken: [] };
  },
};

async function staffOf(stage: Stage): Promise<Visitor> {
  const staff = remoteVisitor(stage.serving.address);
  const { status } = await staff.signIn(stage.data.staff);
  if (status !== 303) throw new Error(`staff who signs in was answered ${status}`);
  return staff;
}

/** Starts a job in the console, as staff do, and waits for its end. @returns its duration in milliseconds */
async function runJob({ machine }: Stage, staff: Visitor, job: string): Promise<number> {
  const startedAtMs = performance.now();
  const { status } = await staff.post("/staff/jobs/", { action: "run", job });
  if (status !== 303) throw new Error(`the job ${job} was answered ${status}`);
  const isOver = (): boolean => {
    const sql = "SELECT finished_at AS finishedAt, failure FROM jobs WHERE name = ?";
    const [row] = machine.query<{ finishedAt: number | null; failure: string | null }>(sql, job);
    if (row?.failure) throw new Error(`the job ${job} failed: ${row.failure}`);
    return row?.finishedAt != null;
  };
  await until(isOver, `the end of ${job}`);
  return performance.now() - startedAtMs;
}

/** Removes the statistics that closing the day added after the data's last day. */
function openYesterday({ machine, data }: Stage): void {
  const db = machine.open();
  const newest = db.prepare("SELECT max(day) FROM daily_statistics WHERE channel_id = ?").pluck();
  const day = newest.get(data.channels[0]) as number;
  if (formatDay(day) > data.lastDay) {
    db.prepare("DELETE FROM daily_statistics WHERE day = ?").run(day);
  }
  db.close();
}
