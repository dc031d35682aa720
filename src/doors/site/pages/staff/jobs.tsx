/** @jsxImportSource hono/jsx */
import type { Row } from "../../../../verbs/operator/resource.ts";
import { jobs } from "../../../../verbs/operator/system/jobs.ts";
import { verbAction } from "../../forms/verb-action.ts";
import { ActionButton, RowFaults } from "../../look/action-button.tsx";
import { ResourceList } from "../../look/resource-list.tsx";
import type { SitePage } from "../../site-pages.ts";
import { useVisit } from "../../visit/visit.ts";
import { consolePage } from "./console.tsx";

export const jobsPage: SitePage = {
  path: "/staff/jobs/",
  access: "staff",
  async show({ words: { staffPages: words } }, context) {
    const states = await context.jobs.list();
    const isRunning = states.some(
      ({ startedAt, finishedAt }) => startedAt !== null && finishedAt === null,
    );
    const percent = context.postIndexPercent();
    return consolePage(
      words.jobs,
      <>
        <RowFaults actions={["run"]} />
        <p>{words.patternText}</p>
        <div id="jobs" data-refresh={isRunning || percent !== null ? "yes" : undefined}>
          {percent !== null && <p class="notice">{words.postIndexBuilding(percent)}</p>}
          <ResourceList
            resource={jobs}
            label={words.jobs}
            columns={["name", "last_run_at", "failure", "next_run_at", "schedule"]}
            looks={{ name: "row" }}
            cells={{
              name: ({ name }) => <JobName name={String(name)} />,
              failure: (job) => <Outcome job={job} />,
            }}
            actions={({ name }) => (
              <ActionButton
                inRow
                action="run"
                label={words.runNow}
                description={String(name)}
                fields={{ job: String(name) }}
              />
            )}
          />
        </div>
      </>,
    );
  },
  actions: {
    run: verbAction(jobs, "run", { of: () => useVisit().form.get("job") }),
  },
};

function JobName({ name }: { name: string }) {
  return (
    <>
      <code>{name}</code>
      <br />
      <small>{useVisit().words.staffPages.jobNames[name.replace(/@.*$/, "")]}</small>
    </>
  );
}

function Outcome({ job }: { job: Row }) {
  const words = useVisit().words.staffPages;
  if (job["last_run_at"] === null) return <>—</>;
  if (job["finished_at"] === null) return <>{words.running}</>;
  if (job["failure"] === null) return <>{words.succeeded}</>;
  return (
    <>
      <strong class="fault">{words.failed}</strong>: <bdi>{String(job["failure"])}</bdi>
    </>
  );
}
