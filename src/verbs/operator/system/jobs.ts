import { basename } from "node:path";
import type { Actor } from "../../../customers/audit/audit-log.ts";
import { AppError, notFound } from "../../../errors.ts";
import type { BackupFile } from "../../../upkeep/backups/backup-files.ts";
import type { JobState } from "../../../upkeep/jobs/job-run.ts";
import { BACKUP_JOB } from "../../../upkeep/jobs/jobs.ts";
import { message } from "../../../values/messages/messages.ts";
import * as shape from "../../../values/schema.ts";
import { FileAnswer } from "../../method.ts";
import { inPath, text } from "../../parameters.ts";
import { list, namedInPart, type OperatorServices, resource, show, verb } from "../resource.ts";

const jobRows = shape.rows("Job", {
  name: shape.text("Its name"),
  schedule: shape.property("pattern", shape.text("Cron pattern in Moscow time")),
  last_run_at: shape.instantOf(
    "When its last run began; null: never",
    (job: JobState) => job.startedAt,
  ),
  finished_at: shape.optionalInstant(
    "When its last run ended; null: it is running, or has never run",
  ),
  failure: shape.nullable(shape.text("Why its last run failed; null: it did not")),
  next_run_at: shape.instantOf("When it runs next; null: never", (job: JobState) => job.nextDueAt),
});

const stateOf = async (name: string, { jobs }: Pick<OperatorServices, "jobs">) => {
  const state = (await jobs.list()).find((job) => job.name === name);
  if (state === undefined) throw notFound("job", name);
  return state;
};

/** @returns the job's row @throws AppError `conflict` if it is running already */
async function startJob(name: string, services: OperatorServices, by: Actor) {
  const isStarted = await services.jobs.runNow(name, by);
  if (!isStarted) throw new AppError("conflict", message("jobRuns"));
  return jobRows.row(await stateOf(name, services));
}

/** The appliance's own regular work. */
export const jobs = resource({
  name: "job",
  area: "system",
  title: "the appliance's scheduled jobs",
  schema: jobRows.schema,
  id: inPath(text("Its name.", { example: "recount" })),
  hint: "its name",
  find: async (name, services) => (await stateOf(name, services)).name,
  verbs: [
    list({
      rows: ["name"],
      title: "list all jobs with their last runs and their next ones",
      run: async (_args, { services, part }) =>
        namedInPart((await services.jobs.list()).map(jobRows.row), "name", part),
    }),
    verb<Record<never, never>, string>({
      name: "run",
      // A job may take minutes, for which a serving process has a thread.
      isForPrograms: true,
      title: "start a job now; the list tells how it ended",
      run: (_args, { services, id, by }) => startJob(id, services, by),
    }),
  ],
});

const backupRows = shape.rows("Backup", {
  name: shape.field(
    shape.text("Name of the file in the folder of backups"),
    ({ path }: BackupFile) => basename(path),
  ),
  bytes: shape.count("Its size"),
  made_at: shape.instant("When it was completed"),
});

/** Backups in the folder of daily ones; `kanalog backup FILE` writes one to any file. */
export const backups = resource({
  name: "backup",
  area: "system",
  title: "backups in the folder of daily ones, which stay on the appliance's machine",
  schema: backupRows.schema,
  id: inPath(text("Its name.")),
  hint: "its name",
  find: async (name) => name,
  verbs: [
    verb({
      name: "make",
      on: "none",
      isForPrograms: true,
      title: "start the job that makes the daily backup; the list has the file once it is complete",
      result: jobRows.schema,
      async run(_args, { services, by }) {
        if ((await services.jobs.list()).every(({ name }) => name !== BACKUP_JOB)) {
          throw new AppError("conflict", message("noBackupFolder"));
        }
        return startJob(BACKUP_JOB, services, by);
      },
    }),
    list({
      rows: ["name"],
      title: "list the daily backups, newest first",
      async run(_args, { services, part: { after, limit } }) {
        // By name, since the last one shown may have been deleted meanwhile.
        const found = await all(services);
        return found
          .filter(({ name }) => after === null || name < String(after[0]))
          .slice(0, limit);
      },
    }),
    show<string>({
      title: "show a daily backup",
      async run(_args, { services, id }) {
        const found = (await all(services)).find(({ name }) => name === id);
        if (found === undefined) throw notFound("backup", id);
        return found;
      },
    }),
  ],
});

const all = async ({ dailyBackups }: OperatorServices) =>
  (await dailyBackups()).map(backupRows.row);

/** Readiness and metrics, as the serving processes report them; `kanalog health` asks from a terminal. */

const found = (description: string) =>
  shape.list(
    shape.object({
      name: shape.text(),
      problem: shape.nullable(shape.text("Null: it is all right")),
    }),
    description,
  );

const readinessSchema = shape.object(
  {
    is_ready: shape.flag("Whether no check has found a problem"),
    checks: found("As `/readyz` has them: with a problem, requests may fail"),
    warnings: found("What somebody should look at"),
  },
  "Readiness",
);

const METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8";

/** A resource of one object, which needs no name. */
const shown = { name: "show", on: "none", isRead: true, isForPrograms: true } as const;

export const readiness = resource({
  name: "readiness",
  area: "system",
  path: "readiness",
  title: "whether the appliance is ready",
  schema: readinessSchema,
  verbs: [
    verb({
      ...shown,
      title: "show whether all processes are ready, and what is wrong",
      async run(_args, { services }) {
        const { checks, warnings } = await running(services).ready();
        const rows = (of: typeof checks) => of.map(([name, problem]) => ({ name, problem }));
        return {
          is_ready: checks.every(([, fault]) => fault === null),
          checks: rows(checks),
          warnings: rows(warnings),
        };
      },
    }),
  ],
});

export const metrics = resource({
  name: "metrics",
  area: "system",
  path: "metrics",
  title: "metrics, as `/metrics` has them",
  schema: shape.text("Metrics in Prometheus's text format"),
  verbs: [
    verb({
      ...shown,
      title: "download the metrics of all processes in Prometheus's text format",
      fileTypes: [METRICS_TYPE],
      async run(_args, { services }) {
        const text = await running(services).metrics();
        return new FileAnswer(METRICS_TYPE, {}, { parts: whole(text), close() {} });
      },
    }),
  ],
});

async function* whole(text: string): AsyncGenerator<Uint8Array, void> {
  yield Buffer.from(text);
}

function running({ running: found }: OperatorServices) {
  if (found === null) throw new Error("a command serves nothing");
  return found;
}
