/** @jsxImportSource hono/jsx */
import { partStream } from "../../../../catalog/exports/export-part.ts";
import type { BackupFile } from "../../../../upkeep/backups/backup-files.ts";
import { BACKUP_JOB } from "../../../../upkeep/jobs/jobs.ts";
import { RETENTION } from "../../../../upkeep/retention/retention-rules.ts";
import { fileStamp } from "../../../../values/moscow-time.ts";
import type { FileAnswer } from "../../../../verbs/method.ts";
import { exports } from "../../../../verbs/operator/data/imports.ts";
import { backups } from "../../../../verbs/operator/system/jobs.ts";
import { backWith, verbAction } from "../../forms/verb-action.ts";
import { ActionButton } from "../../look/action-button.tsx";
import { DataTable } from "../../look/data-table.tsx";
import { CheckField } from "../../look/form.tsx";
import { Instant, shownBytes, shownNumber } from "../../look/shown.tsx";
import { Facts } from "../../look/user-text.tsx";
import { VerbForm } from "../../look/verb-form.tsx";
import type { SiteContext } from "../../site-context.ts";
import type { SitePage } from "../../site-pages.ts";
import { useSite, useVisit, type View } from "../../visit/visit.ts";
import { consolePage } from "./console.tsx";

/** `/staff/database/`: how large the file is, and what it contains. */
export const databasePage: SitePage = {
  path: "/staff/database/",
  access: "staff",
  async show(visit, context) {
    const words = visit.words.staffPages;
    const [facts, backup] = await Promise.all([context.databaseFacts(), context.lastBackup()]);
    const number = (value: number): string => shownNumber(value);
    const bytes = (value: number): string => shownBytes(value);
    const { phase, percent } = context.services.postSearch.progress();
    const lines = [
      [words.file, `${context.config.databasePath}, ${bytes(facts.fileBytes)}`],
      [words.wal, bytes(facts.walBytes)],
      [words.pages, `${number(facts.pages)} × ${number(facts.pageBytes)} ${words.units[0]}`],
      [words.freePages, number(facts.freePages)],
      [words.searchIndex, number(facts.searchSegments)],
      [words.postSearch, words.postSearchPhases[phase](percent)],
      [words.schemaVersion, number(facts.schemaVersion)],
      [words.sqliteVersion, facts.sqliteVersion],
    ] as const;
    return consolePage(
      words.database,
      <>
        <Facts facts={lines} />
        {context.nodes !== null && <Nodes nodes={context.nodes} />}
        <h2>{words.backup}</h2>
        <LastBackup backup={backup} />
        <h2>{visit.words.exportPages.title}</h2>
        <ExportForm />
        <h2>{words.tables}</h2>
        <DataTable
          label={words.tables}
          rows={facts.tables}
          columns={[
            [words.table, ({ name }) => <code>{name}</code>, "row"],
            [
              words.rows,
              ({ rows, isMore }) => (
                <>
                  {isMore && `${words.moreThan} `}
                  {number(rows)}
                </>
              ),
              "number",
            ],
            [words.rule, ({ name }) => ruleText(name)],
          ]}
        />
      </>,
    );
  },
  actions: {
    export: verbAction(exports, "download", { shows: downloaded }),
    backup: verbAction(backups, "make", { shows: () => backWith("job.run") }),
  },
};

/** What limits a table, in words. */
function ruleText(table: string): string {
  const words = useVisit().words.staffPages;
  const rule = RETENTION[table];
  if (rule === undefined) return "";
  if (typeof rule === "string") return words.rules[rule];
  const { age, most } = rule;
  return [
    ...(age === undefined ? [] : [words.ruleAge(age.days)]),
    ...(most === undefined
      ? []
      : [`${words.ruleMost(shownNumber(most.rows))} ${words.ruleOf[most.of]}`]),
  ].join("; ");
}

/** The cluster's nodes, and how far their copies are. */
async function Nodes({ nodes }: { nodes: NonNullable<SiteContext["nodes"]> }) {
  const words = useVisit().words.staffPages;
  const all = await nodes().catch(() => null);
  const number = (value: number): string => shownNumber(value);
  return (
    <>
      <h2>{words.nodes}</h2>
      {all === null ? (
        <p class="notice">{words.noNodes}</p>
      ) : (
        <DataTable
          label={words.nodes}
          rows={all}
          columns={[
            [words.node, ({ node }) => <bdi>{node}</bdi>, "row"],
            [words.nodeVersion, ({ version }) => number(version), "number"],
            [words.nodeBehind, ({ versionsBehind }) => number(versionsBehind), "number"],
            [words.nodeSilent, ({ silentS }) => number(silentS), "number"],
            [words.nodeProgram, ({ program }) => program],
          ]}
        />
      )}
    </>
  );
}

/** The latest daily backup, and whether one has failed since. */
async function LastBackup({ backup }: { backup: BackupFile | null }) {
  const words = useVisit().words.staffPages;
  const job = (await useSite().jobs.list()).find(({ name }) => name === BACKUP_JOB);
  if (job === undefined) return <p>{words.backupOff}</p>;
  return (
    <>
      {job.failure !== null && (
        <p>
          <strong class="fault">{words.backupFailed}</strong>: <bdi>{job.failure}</bdi>
        </p>
      )}
      {backup === null ? (
        <p>{words.backupNone}</p>
      ) : (
        <p>
          <Instant at={backup.madeAt} />, <bdi>{backup.path}</bdi>, {shownBytes(backup.bytes)}
        </p>
      )}
      <ActionButton action="backup" label={words.runNow} />
    </>
  );
}

/** The form with which staff download rows; submitted with a token because it keeps the appliance busy. */
function ExportForm() {
  const { exportPages: words, channel } = useVisit().words;
  return (
    <VerbForm
      resource={exports}
      verb="download"
      action="export"
      submit={words.download}
      words={{ ...words, channel }}
      more={<CheckField name="gzip" />}
    >
      <p>{words.intro}</p>
    </VerbForm>
  );
}

/** Answers the form with the file, produced as fast as the browser reads it. */
function downloaded({ type, file }: FileAnswer): View {
  const { form, nowMs } = useVisit();
  const fileName = `${form.get("kind")}-${fileStamp(nowMs)}.${form.get("format")}`;
  const body = partStream(file.parts, file.close);
  // A workbook is compressed already.
  const isPacked = form.isChecked("gzip") && form.get("format") !== "xlsx";
  if (!isPacked) return { kind: "download", fileName, type, body };
  const packed = body.pipeThrough<Uint8Array>(new CompressionStream("gzip") as never);
  const name = `${fileName}.gz`;
  return { kind: "download", fileName: name, type: "application/gzip", body: packed };
}
