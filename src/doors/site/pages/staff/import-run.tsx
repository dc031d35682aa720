/** @jsxImportSource hono/jsx */
import type { RecordedRun } from "../../../../catalog/imports/runs/import-runs.ts";
import { notFound } from "../../../../errors.ts";
import { Facts } from "../../look/facts.tsx";
import { Instant, shownNumber, told } from "../../look/shown.tsx";
import type { SitePage } from "../../site-pages.ts";
import { asset } from "../../visit/site-path.ts";
import { useSite, useVisit } from "../../visit/use-visit.ts";
import { page, type View } from "../../visit/view.ts";
import { Recognized } from "./import-preview.tsx";
import { ImportReasons } from "./import-reasons.tsx";

/** `/staff/imports/:id/`: an import's progress; the script refreshes it until it has ended. */
export const importRunPage: SitePage = {
  path: "/staff/imports/:id/",
  access: "staff",
  async show(visit, { imports }) {
    const words = visit.words.importPages;
    const run = await imports.run(idOf());
    return page(
      `${words.import} ${run.id}`,
      <div id="run" data-refresh={run.state === "running" ? "yes" : undefined}>
        <Run run={run} />
        <p class="row">
          <a href={asset("/staff/imports/")}>{words.back}</a>
          {run.state === "done" && (
            <>
              <a href={asset("/staff/channels/")}>{visit.words.channels}</a>
              <a href={asset("/staff/start/")}>{visit.words.firstSteps.title}</a>
            </>
          )}
        </p>
      </div>,
    );
  },
  actions: { rejects: downloadRejects },
};

/** @throws AppError `not_found` */
function idOf(): number {
  const { params } = useVisit();
  const id = params["id"] ?? "";
  if (!/^[1-9]\d{0,14}$/.test(id)) throw notFound("import");
  return Number(id);
}

async function downloadRejects(): Promise<View> {
  const { imports } = useSite();
  const { run, path } = await imports.rejects(idOf());
  return {
    kind: "download",
    fileName: `rejected-rows-${run.id}.ndjson`,
    type: "application/x-ndjson",
    body: Bun.file(path).stream(),
  };
}

interface RunProps {
  run: RecordedRun;
}

function Run({ run }: RunProps) {
  const words = useVisit().words.importPages;
  const { options } = run.summary;
  return (
    <>
      {(options.dryRun || options.replace) && (
        <p class="notice">
          {options.dryRun && words.isDryRun} {options.replace && words.isReplace}
        </p>
      )}
      <Progress run={run} />
      <Facts
        facts={[
          [words.file, <bdi>{run.fileName}</bdi>],
          [words.kind, words.kinds[run.kind]],
          [words.by, <bdi>{run.person}</bdi>],
          [words.started, <Instant at={run.startedAt} />],
          [words.ended, <Instant at={run.finishedAt} />],
        ]}
      />
      <Counts run={run} />
      <Recognized recognized={run.summary.recognized} />
      <ImportReasons run={run} />
      {run.summary.notes.length > 0 && (
        <>
          <h2>{words.notes}</h2>
          <ul>
            {run.summary.notes.map((note) => (
              <li>
                <bdi>{told(note)}</bdi>
              </li>
            ))}
          </ul>
        </>
      )}
    </>
  );
}

function Progress({ run }: RunProps) {
  const words = useVisit().words.importPages;
  const { bytes, bytesRead, read, rejected } = run.summary;
  if (run.state === "failed") {
    return (
      <p class="fault" role="alert">
        <bdi>{run.failure && told(run.failure)}</bdi>
      </p>
    );
  }
  if (run.state === "done") {
    const tookNothing = read > 0 && rejected === read;
    return (
      <p role="status" class={tookNothing ? "notice" : undefined}>
        {tookNothing ? words.tookNothing : words.isDone}
      </p>
    );
  }
  if (run.isWaiting) {
    return (
      <p role="status">
        {words.waiting} <small>{words.refreshHint}</small>
      </p>
    );
  }
  const percent = bytes === 0 ? 0 : Math.floor((100 * bytesRead) / bytes);
  return (
    <>
      <p>
        <label for="read">{`${words.fileRead}: ${percent}%`}</label>
        <br />
        <progress id="read" max={100} value={percent} />
      </p>
      <p>
        <small>{words.refreshHint}</small>
      </p>
    </>
  );
}

const COUNTS = ["read", "inserted", "updated", "unchanged", "rejected"] as const;

function Counts({ run }: RunProps) {
  const words = useVisit().words.importPages;
  const { read, seconds, removed, handles_moved: moved } = run.summary;
  const counts = COUNTS.map((name) => [words[name], run.summary[name]] as const);
  const rate = seconds > 0 ? [[words.rowsPerSecond, Math.round(read / seconds)] as const] : [];
  const gone = removed === undefined ? [] : [[words.removed, removed] as const];
  const handles = moved === undefined ? [] : [[words.handlesMoved, moved] as const];
  return (
    <ul class="cards">
      {[...counts, ...gone, ...handles, ...rate].map(([label, count]) => (
        <li>
          <strong>{shownNumber(count)}</strong> {label}
        </li>
      ))}
    </ul>
  );
}
