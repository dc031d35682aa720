import { AppError, notFound } from "../../errors.ts";
import type { JobState } from "../../upkeep/jobs/job-run.ts";
import { message } from "../../values/messages/messages.ts";
import { field } from "../../values/rows.ts";
import { nullable, textSchema } from "../../values/schema.ts";
import { inPath, text } from "../parameters.ts";
import {
  instant,
  namedInPart,
  type OperatorServices,
  type Resource,
  rowsOf,
  verb,
} from "./resource.ts";

const jobRows = rowsOf<JobState>("Job", {
  name: field(textSchema({ description: "Its name" }), ({ name }) => name),
  schedule: field(
    textSchema({ description: "Cron pattern in Moscow time" }),
    ({ pattern }) => pattern,
  ),
  last_run_at: instant("When its last run began; null: never", ({ startedAt }) => startedAt),
  finished_at: instant(
    "When its last run ended; null: it is running, or has never run",
    ({ finishedAt }) => finishedAt,
  ),
  failure: field(
    nullable(textSchema({ description: "Why its last run failed; null: it did not" })),
    ({ failure }) => failure,
  ),
  next_run_at: instant("When it runs next; null: never", ({ nextDueAt }) => nextDueAt),
});

const stateOf = async (name: string, { jobs }: Pick<OperatorServices, "jobs">) => {
  const state = (await jobs.list()).find((job) => job.name === name);
  if (state === undefined) throw notFound("job", name);
  return state;
};

/** The appliance's own regular work. */
export const jobs: Resource = {
  name: "job",
  command: "job",
  path: "jobs",
  area: "system",
  title: "the appliance's scheduled jobs",
  schema: jobRows.schema,
  id: inPath(text({ description: "Its name.", example: "recount" })),
  hint: "its name",
  find: async (name, services) => (await stateOf(name, services)).name,
  verbs: [
    verb({
      name: "list",
      on: "none",
      isRead: true,
      rows: "name",
      args: {},
      title: "list all jobs with their last runs and their next ones",
      run: async (_args, { services, part }) =>
        namedInPart((await services.jobs.list()).map(jobRows.row), "name", part),
    }),
    verb<Record<never, never>, string>({
      name: "run",
      on: "one",
      args: {},
      // A job may take minutes, for which a serving process has a thread.
      isForPrograms: true,
      title: "start a job now; the list tells how it ended",
      async run(_args, { services, id, by }) {
        const isStarted = await services.jobs.runNow(id, by);
        if (!isStarted) throw new AppError("conflict", message("jobRuns"));
        return jobRows.row(await stateOf(id, services));
      },
    }),
  ],
};
