import { rmSync } from "node:fs";
import { formatDay } from "../../../../src/moscow-time.ts";
import { remoteVisitor, type Visitor } from "../../../support/visitor.ts";
import { within } from "../../../support/webhook-journey.ts";
import { get } from "../requests.ts";
import type { Row, Stage } from "../row.ts";
import { requestsRow } from "./requests-row.ts";
import { runCommands } from "./run-commands.ts";
import { addDeliveries, watchAll } from "./watching.ts";

const JOBS = ["close-day", "recount", "optimize-search", "prune-usage", "prune-deliveries"];
const JOB_MAX_MS = 60_000;
const DAY_MS = 24 * 60 * 60 * 1000;
/** Older than the log keeps them. */
const OLD_MS = 31 * DAY_MS;
const OLD_DELIVERIES = 20_000;
const ORDERINGS = ["-subscribers", "-quality", "-last_post_at", "-citation"];
/** What Profi allows. */
const RATE = 30;

let staff: Visitor;
let webhook = 0;

/** Starts a job as staff does, in the console, and waits for its end. @returns how long it took */
async function runJob({ machine }: Stage, job: string): Promise<number> {
  const startedAtMs = performance.now();
  const { status } = await staff.post("/staff/jobs/", { action: "run", job });
  if (status !== 303) throw new Error(`the job ${job} was answered ${status}`);
  const isOver = (): boolean => {
    const sql = "SELECT finished_at AS finishedAt, failure FROM jobs WHERE name = ?";
    const [row] = machine.query<{ finishedAt: number | null; failure: string | null }>(sql, job);
    if (row?.failure) throw new Error(`the job ${job} failed: ${row.failure}`);
    return row?.finishedAt != null;
  };
  await within(JOB_MAX_MS, isOver, `the end of ${job}`);
  return performance.now() - startedAtMs;
}

/** What the jobs found to do in the round before is there to be done again. */
function giveWork(stage: Stage): void {
  addDeliveries(stage, webhook, { count: OLD_DELIVERIES, ageMs: OLD_MS });
  const db = stage.machine.open();
  // Statistics of yesterday, which closing the day wrote: the data ends before.
  const [lastDay] = db
    .prepare("SELECT max(day) FROM daily_statistics WHERE channel_id = ?")
    .pluck()
    .all(stage.data.channels[0]) as number[];
  if (lastDay !== undefined && formatDay(lastDay) > stage.data.lastDay) {
    db.prepare("DELETE FROM daily_statistics WHERE day = ?").run(lastDay);
  }
  db.close();
}

export const upkeepRows: Row[] = [
  {
    name: "backup",
    does: "is the operator, who writes backups one after the other",
    beside: (stage, seconds) =>
      runCommands(stage, seconds, (number) => {
        rmSync(stage.machine.path(`backup-${number - 1}.db`), { force: true });
        return ["backup", `backup-${number}.db`];
      }),
  },
  {
    name: "jobs",
    does: "is the clock: the nightly jobs one after the other, over and over",
    environment: { KANALOG_BACKUP_DIR: "." },
    async prepare(stage) {
      webhook = (await watchAll(stage))[0]?.id ?? 0;
      staff = remoteVisitor(stage.serving.address);
      const { status } = await staff.signIn(stage.data.staff);
      if (status !== 303) throw new Error(`staff who signs in was answered ${status}`);
    },
    beforeRound: async (stage) => giveWork(stage),
    async beside(stage, seconds) {
      const endsAtMs = performance.now() + seconds * 1000;
      const longestMs: Record<string, number> = {};
      // A backup is called by its second, so there is one in each round.
      const jobs = ["backup", ...JOBS];
      for (let runs = 0; runs < jobs.length || performance.now() < endsAtMs; runs++) {
        const job = jobs[runs] ?? JOBS[runs % JOBS.length] ?? "";
        longestMs[job] = Math.max(longestMs[job] ?? 0, await runJob(stage, job));
      }
      const told = Object.entries(longestMs).map(([job, ms]) => `${job} ${ms.toFixed(0)} ms`);
      return { notes: [`at the longest ${told.join(", ")}`], broken: [] };
    },
  },
  requestsRow({
    ...{ name: "searches", size: "large", connections: 8, perSecond: RATE },
    does: "searches 300,000 channels 30 times a second, in all orders",
    requests: ({ data: { strings, neighbour } }) =>
      strings.map((q, at) => {
        const ordering = ORDERINGS[at % ORDERINGS.length];
        const query = `q=${encodeURIComponent(q)}&ordering=${ordering}`;
        return get(`/v1/msgr/channels/?${query}`, neighbour.key);
      }),
  }),
];
