/** @jsxImportSource hono/jsx */
import type { JobState } from "../../../../upkeep/jobs/job-run.ts";
import { jobs } from "../../../../verbs/operator/system/jobs.ts";
import { verbAction } from "../../forms/verb-action.ts";
import { ActionButton, RowFaults } from "../../look/action-button.tsx";
import { DataTable } from "../../look/data-table.tsx";
import { Instant } from "../../look/shown.tsx";
import type { SitePage } from "../../site-pages.ts";
import { useVisit } from "../../visit/visit.ts";
import { consolePage } from "./console.tsx";

export const jobsPage: SitePage = {
  path: "/staff/jobs/",
  access: "staff",
  async show(visit, context) {
    const words = visit.words.staffPages;
    const states = await context.jobs.list();
    const percent = context.postIndexPercent();
    return consolePage(
      words.jobs,
      <>
        <RowFaults actions={["run"]} />
        <p>{words.patternText}</p>
        <div
          id="jobs"
          data-refresh={states.some(isRunning) || percent !== null ? "yes" : undefined}
        >
          {percent !== null && <p class="notice">{words.postIndexBuilding(percent)}</p>}
          <DataTable
            label={words.jobs}
            rows={states}
            columns={[
              [
                words.job,
                ({ name }) => (
                  <>
                    <code>{name}</code>
                    <br />
                    <small>{words.jobNames[name.replace(/@.*$/, "")]}</small>
                  </>
                ),
                "row",
              ],
              [
                words.started,
                ({ startedAt: at }) => <Instant at={at} withSeconds none={words.never} />,
              ],
              [words.finished, ({ finishedAt }) => <Instant at={finishedAt} withSeconds />],
              [words.outcome, (job) => <Outcome job={job} />],
              [
                words.nextRun,
                ({ nextDueAt, pattern }) => (
                  <>
                    <Instant at={nextDueAt} />
                    <br />
                    <small>
                      <code>{pattern}</code>
                    </small>
                  </>
                ),
              ],
              [
                words.actions,
                ({ name }) => (
                  <ActionButton
                    inRow
                    action="run"
                    label={words.runNow}
                    description={name}
                    fields={{ job: name }}
                  />
                ),
              ],
            ]}
          />
        </div>
      </>,
    );
  },
  actions: {
    run: verbAction(jobs, "run", { of: () => useVisit().form.get("job") }),
  },
};

function isRunning({ startedAt, finishedAt }: JobState): boolean {
  return startedAt !== null && finishedAt === null;
}

function Outcome({ job }: { job: JobState }) {
  const words = useVisit().words.staffPages;
  if (job.startedAt === null) return <>—</>;
  if (isRunning(job)) return <>{words.running}</>;
  if (job.failure === null) return <>{words.succeeded}</>;
  return (
    <>
      <strong class="fault">{words.failed}</strong>: <bdi>{job.failure}</bdi>
    </>
  );
}
