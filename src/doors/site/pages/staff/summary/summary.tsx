/** @jsxImportSource hono/jsx */
import type { Child } from "hono/jsx";
import type { CustomerUse } from "../../../../../upkeep/checks/staff-summary.ts";
import type { Hour } from "../../../../../upkeep/hours/hours.store.ts";
import { DAY_MS, dayOf, formatDay, HOUR_MS } from "../../../../../values/moscow-time.ts";
import { DataTable } from "../../../look/data-table.tsx";
import { PlanName } from "../../../look/resource-list.tsx";
import { DayText, Instant, shownBytes, shownNumber } from "../../../look/shown.tsx";
import { NamedLink } from "../../../look/user-text.tsx";
import type { SitePage } from "../../../site-pages.ts";
import { asset, useSite, useVisit } from "../../../visit/visit.ts";
import { consolePage } from "../console.tsx";
import { HourPicture } from "./hour-picture.tsx";

const DAY_HOURS = 24;
const WEEK_HOURS = 7 * 24;
/** Whole days without a reading of any channel after which the data is called old. */
const READING_OLD_DAYS = 2;

/** What is counted and should be zero, and the page about it. */
const COUNTED = [
  ["webhooksFailing", "/staff/webhooks/"],
  ["webhooksDisabled", "/staff/webhooks/?disabled=yes"],
  ["jobsFailed", "/staff/jobs/"],
  ["importsFailed", "/staff/imports/"],
  ["sourcesSilent", "/staff/sources/"],
  ["errorsNoted", "/staff/errors/"],
] as const;

/** `/staff/`: possible problems, usage, and how long the disk will last. */
export const summaryPage: SitePage = {
  path: "/staff/",
  access: "staff",
  async show(visit, context) {
    const words = visit.words.summaryPage;
    const hours = await context.hoursSince(visit.nowMs - WEEK_HOURS * HOUR_MS);
    const counts = await countsOf(visit.nowMs);
    const outlook = await diskOutlook(hours);
    const backup = await context.lastBackup();
    // A node needs no backup of its own, since PostgreSQL has the data.
    const lacksBackup = backup === null && context.nodes === null;
    const { baseUrl, smtpUrl } = context.config;
    const { lastReading } = counts;
    const isOld = lastReading !== null && lastReading < dayOf(visit.nowMs) - READING_OLD_DAYS;
    const troubles: [label: string, value: Child | null, path: string][] = [
      ...COUNTED.map(([name, path]): [string, Child | null, string] => [
        words[name],
        counts[name] === 0 ? null : shownNumber(counts[name]),
        path,
      ]),
      [words.backup, lacksBackup ? words.noBackup : null, "/staff/database/"],
      [words.noMailServer, smtpUrl === null ? words.noBackup : null, "/staff/guides/operating/"],
      [words.noPublicAddress, baseUrl === null ? words.noBackup : null, "/staff/guides/operating/"],
      [
        words.lastReading,
        isOld ? <DayText day={formatDay(lastReading)} /> : null,
        "/staff/imports/",
      ],
    ];
    const counted = new Set<string>(COUNTED.map(([name]) => words[name]));
    const open = troubles.filter(([, value]) => value !== null);
    const well = troubles.filter(([, value]) => value === null);
    return consolePage(
      visit.words.staffPages.summary,
      <>
        <h2>{words.isWell}</h2>
        {open.length === 0 ? (
          <p>
            <span class="good">{words.well}</span>
          </p>
        ) : (
          <ul class="cards">
            {open.map(([label, value, path]) => (
              <li class="warning">
                <strong>{value}</strong>
                <a href={asset(path)}>{label}</a>
              </li>
            ))}
          </ul>
        )}
        <p class="row checked">
          {well.map(([label, , path]) => (
            <a href={asset(path)}>{counted.has(label) ? `${label}: 0` : `✓ ${label}`}</a>
          ))}
          {backup !== null && (
            <span>
              {words.backup}: <Instant at={backup.madeAt} />
            </span>
          )}
          {counts.mailsQueued > 0 && (
            <span>
              {words.mailsQueued}: {shownNumber(counts.mailsQueued)}
            </span>
          )}
        </p>
        {hours.some(({ requests }) => requests > 0) && (
          <HourPicture hours={hours} count={DAY_HOURS} title={words.lastDay} />
        )}
        <HourPicture hours={hours} count={WEEK_HOURS} title={words.lastWeek} />
        <h2>{words.whoUses}</h2>
        <p class="row checked">
          <a href={asset("/staff/organizations/")}>
            {words.customers}: {shownNumber(counts.customers)}
          </a>
          <a href={asset("/staff/people/")}>
            {words.people}: {shownNumber(counts.people)}
          </a>
        </p>
        {counts.top.length > 0 && <Customers title={words.topCustomers} customers={counts.top} />}
        {counts.nearLimit.length > 0 && (
          <Customers title={words.nearLimit} customers={counts.nearLimit} />
        )}
        <h2>{words.whatNext}</h2>
        <Outlook outlook={outlook} />
      </>,
    );
  },
};

function Customers({ title, customers }: { title: string; customers: readonly CustomerUse[] }) {
  const visit = useVisit();
  const words = visit.words.summaryPage;
  return (
    <section>
      <h3>{title}</h3>
      <DataTable
        label={title}
        rows={customers}
        columns={[
          [
            visit.words.organization,
            ({ id, name }) => <NamedLink to={`/staff/organizations/${id}/`}>{name}</NamedLink>,
            "row",
          ],
          [visit.words.plan, ({ plan }) => <PlanName code={plan} />],
          [
            words.used,
            ({ used, quota }) => `${shownNumber(used)} / ${shownNumber(quota)}`,
            "number",
          ],
        ]}
      />
    </section>
  );
}

const DAYS_SHOWN_MAX = 1_000;

function Outlook({ outlook }: { outlook: DiskOutlook }) {
  const words = useVisit().words.summaryPage;
  const bytes = (value: number | null): string =>
    value === null ? words.unknown : shownBytes(value);
  const { daysLeft } = outlook;
  const days =
    daysLeft === null
      ? words.unknown
      : daysLeft > DAYS_SHOWN_MAX
        ? words.manyDays
        : shownNumber(daysLeft);
  return (
    <ul class="cards">
      {[
        [words.database, bytes(outlook.fileBytes)],
        [words.growth, bytes(outlook.growthBytes)],
        [words.diskFree, bytes(outlook.freeBytes)],
        [words.daysLeft, days],
      ].map(([label, value]) => (
        <li>
          <strong>{value}</strong>
          {label}
        </li>
      ))}
    </ul>
  );
}

/** Latest import runs to examine, and the days during which a failed one is counted. */
const RUNS = 20;
const FAILED_DAYS = 7;

/** Counts of possible problems and of people, and the customers who use most. */
async function countsOf(nowMs: number) {
  const { staffSummary, jobs, mails, recentErrors, imports, sources } = useSite();
  return {
    ...(await staffSummary({ nowMs })),
    jobsFailed: (await jobs.list()).filter(({ failure }) => failure !== null).length,
    importsFailed: (await imports.runs(RUNS)).filter(
      ({ state, startedAt, finishedAt }) =>
        state === "failed" && (finishedAt ?? startedAt) >= nowMs - FAILED_DAYS * DAY_MS,
    ).length,
    sourcesSilent: (await sources.silent()).length,
    errorsNoted: (await recentErrors()).filter(({ level }) => level === "error").length,
    mailsQueued: await mails.queued(),
  };
}

/** How fast the disk fills up; null where unknown. */
interface DiskOutlook {
  fileBytes: number | null;
  /** Per day, averaged over the recorded hours. */
  growthBytes: number | null;
  freeBytes: number | null;
  daysLeft: number | null;
}

/** Shortest recorded time from which the growth of a day is estimated. */
const GROWTH_KNOWN_MS = 6 * HOUR_MS;

async function diskOutlook(hours: readonly Hour[]): Promise<DiskOutlook> {
  const { freeDiskBytes } = useSite();
  const first = hours[0];
  const last = hours.at(-1);
  const freeBytes = await freeDiskBytes();
  if (first === undefined || last === undefined) {
    return { fileBytes: null, growthBytes: null, freeBytes, daysLeft: null };
  }
  const { fileBytes } = last;
  const passedMs = last.startedAt - first.startedAt;
  if (passedMs < GROWTH_KNOWN_MS)
    return { fileBytes, growthBytes: null, freeBytes, daysLeft: null };
  const growthBytes = Math.max(0, ((fileBytes - first.fileBytes) / passedMs) * DAY_MS);
  const daysLeft =
    freeBytes === null || growthBytes === 0 ? null : Math.floor(freeBytes / growthBytes);
  return { fileBytes, growthBytes, freeBytes, daysLeft };
}
