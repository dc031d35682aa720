/** @jsxImportSource hono/jsx */

import type { JSX } from "hono/jsx/jsx-runtime";
import type { HtmlEscapedString } from "hono/utils/html";
import { notFound } from "../../../../errors.ts";
import { apiMethods } from "../../../../methods/table.ts";
import { jsonValueOf } from "../../../../values/json-text.ts";
import { dayOf } from "../../../../values/moscow-time.ts";
import { Scroll } from "../../look/data-table.tsx";
import { DayChart } from "../../look/day-chart.tsx";
import { DayOf, Instant, LastDayBefore, shownNumber } from "../../look/shown.tsx";
import type { SiteContext } from "../../site-context.ts";
import type { SitePage } from "../../site-pages.ts";
import { ORGANIZATION_COOKIE, siteCookie } from "../../visit/site-cookies.ts";
import { page, redirect, type View } from "../../visit/view.ts";
import { membershipOf, viewerOf } from "../../visit/viewer.ts";
import type { Visit } from "../../visit/visit.ts";
import { LastRequests } from "./last-requests.tsx";
import { QuotaCard } from "./quota-card.tsx";
import {
  sumByDay,
  sumByDayAndMethod,
  sumByKey,
  sumByMethod,
  sumOf,
  type UsageRow,
  type UsageSum,
} from "./usage-sums.ts";

const RANGES = [7, 30, 90];
const RANGE_DEFAULT = 30;

/** `/account/`: the organization's plan and usage. */
export const overviewPage: SitePage = {
  path: "/account/",
  access: "member",
  show: (visit, context) =>
    page(visit.words.overview, <Overview visit={visit} context={context} />),
  actions: { "switch-organization": switchOrganization },
};

/** The plan, usage and last requests of the visit's organization. */
export async function Overview({
  visit,
  context,
}: {
  visit: Visit;
  context: SiteContext;
}): Promise<HtmlEscapedString> {
  const asked = Number(visit.query.get("days"));
  const range = RANGES.includes(asked) ? asked : RANGE_DEFAULT;
  const to = dayOf(visit.nowMs);
  const from = to - range + 1;
  const organizationId = membershipOf(visit).organization.id;
  const rows = jsonValueOf(await context.services.usageHistory.days({ organizationId, from, to }));
  return (
    <>
      <PlanCards visit={visit} context={context} />
      <h2>{visit.words.usage}</h2>
      <Ranges visit={visit} range={range} />
      <UsageByDay visit={visit} days={sumByDay(rows, from, to)} />
      {rows.length > 0 && (
        <p>
          <small>{visit.words.overviewPage.todayUnfinished}</small>
        </p>
      )}
      {rows.length > 0 && <UsageByMethod visit={visit} rows={rows} />}
      {rows.length > 0 && <UsageByKey visit={visit} context={context} rows={rows} />}
      {rows.length > 0 &&
        (["requests", "units"] as const).map((counted) => (
          <ByDayAndMethod
            visit={visit}
            counted={counted}
            usage={sumByDayAndMethod(rows, from, to)}
          />
        ))}
      <LastRequests visit={visit} context={context} />
      <p>
        <small>{visit.words.organizationPages.moscowTime}</small>
      </p>
    </>
  );
}

/** Changes the organization whose pages are shown. */
function switchOrganization({ form, memberships }: Visit): View {
  const chosen = memberships.find(
    ({ organization }) => String(organization.id) === form.get("organization"),
  );
  if (chosen === undefined) throw notFound("organization");
  const cookie = siteCookie(ORGANIZATION_COOKIE, String(chosen.organization.id));
  return redirect("/account/", [cookie]);
}

async function PlanCards({
  visit,
  context,
}: {
  visit: Visit;
  context: SiteContext;
}): Promise<HtmlEscapedString> {
  const { nowMs, words: common } = visit;
  const membership = membershipOf(visit);
  const words = visit.words.organizationPages;
  const viewer = await viewerOf(membership, context.accounts, nowMs);
  const { plan, planInForce } = viewer;
  const { startedAt, endsAt, used } = context.services.limits.usage(viewer, nowMs);
  const quota = plan.requestsPerPeriod;
  const hasEnded = planInForce.endsAt !== null && planInForce.endsAt <= nowMs;
  return (
    <>
      <p>
        {common.organization}: <bdi>{membership.organization.name}</bdi>
      </p>
      {hasEnded && <p class="notice">{words.planEnded}</p>}
      <ul class="cards">
        <li>
          {common.plan}
          <strong>{words.planNames[plan.code]}</strong>
          {shownNumber(visit, plan.requestsPerSecond)} {words.perSecond}
        </li>
        <li>
          {common.planEnds}
          <strong>
            {planInForce.endsAt === null ? (
              words.noEnd
            ) : (
              <LastDayBefore visit={visit} at={planInForce.endsAt} />
            )}
          </strong>
        </li>
        <li>
          {common.period}
          <strong>
            <DayOf visit={visit} at={startedAt} />
          </strong>
          {words.lastDay} <Instant visit={visit} at={endsAt} />
        </li>
        <QuotaCard visit={visit} period={{ startedAt, endsAt, used }} quota={quota} />
      </ul>
    </>
  );
}

function Ranges({ visit, range }: { visit: Visit; range: number }): JSX.Element {
  return (
    <nav aria-label={visit.words.organizationPages.chooseDays}>
      <ul class="choices">
        {RANGES.map((days) => (
          <li>
            <a href={`?days=${days}`} aria-current={days === range ? "true" : undefined}>
              {days} {visit.words.days}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

function UsageByDay({
  visit,
  days,
}: {
  visit: Visit;
  days: { day: string; sum: UsageSum }[];
}): JSX.Element {
  const words = visit.words.organizationPages;
  const isUsed = days.some(({ sum }) => sum.requests > 0);
  return (
    <DayChart
      visit={visit}
      title={words.usageByDay}
      id="usage-days"
      days={days}
      instead={isUsed ? null : words.noUsage}
      heads={<SumHeads visit={visit} />}
      cellsOf={({ sum }) => <SumCells visit={visit} sum={sum} />}
    />
  );
}

function ByDayAndMethod({
  visit,
  counted,
  usage: { methods, days },
}: {
  visit: Visit;
  counted: "requests" | "units";
  usage: ReturnType<typeof sumByDayAndMethod>;
}): JSX.Element {
  const { words: common } = visit;
  const words = visit.words.organizationPages;
  return (
    <DayChart
      visit={visit}
      title={words.byDayAndMethod(common[counted])}
      id={`${counted}-by-method`}
      days={days}
      heads={methods.map((method) => (
        <th scope="col" class="number">
          {method === null ? words.otherMethods : (ROUTES.get(method) ?? method)}
        </th>
      ))}
      cellsOf={({ sums }) =>
        sums.map((sum) => (
          <td class="number" data-value={sum[counted]}>
            {shownNumber(visit, sum[counted])}
          </td>
        ))
      }
    />
  );
}

/** Verb and path by operation id: a name that is the same in all languages. */
const ROUTES = new Map(
  apiMethods.map(({ operationId, verb, path }) => [operationId, `${verb} ${path}`]),
);

function UsageByMethod({ visit, rows }: { visit: Visit; rows: UsageRow[] }): JSX.Element {
  const { words } = visit;
  const sums = sumByMethod(rows).map(({ method, sum }) => ({
    head: <code>{ROUTES.get(method) ?? method}</code>,
    sum,
  }));
  return (
    <UsageSums
      visit={visit}
      title={words.organizationPages.usageByMethod}
      column={words.method}
      rows={sums}
    />
  );
}

async function UsageByKey({
  visit,
  context,
  rows,
}: {
  visit: Visit;
  context: SiteContext;
  rows: UsageRow[];
}): Promise<HtmlEscapedString> {
  const { words } = visit;
  const keys = await context.keys.keys(membershipOf(visit).organization.id);
  const names = new Map(keys.map(({ id, name, prefix }) => [id, name || `${prefix}…`]));
  const sums = sumByKey(rows).map(({ key, sum }) => ({
    head: <bdi>{names.get(key) ?? words.overviewPage.otherKey(key)}</bdi>,
    sum,
  }));
  return (
    <UsageSums
      visit={visit}
      title={words.overviewPage.usageByKey}
      column={words.organizationPages.key}
      rows={sums}
    />
  );
}

/** A table of sums, and their total. */
function UsageSums({
  visit,
  title,
  column,
  rows,
}: {
  visit: Visit;
  title: string;
  column: string;
  rows: readonly { head: JSX.Element; sum: UsageSum }[];
}): JSX.Element {
  return (
    <section>
      <h3>{title}</h3>
      <Scroll label={title}>
        <table class="named">
          <thead>
            <tr>
              <th scope="col">{column}</th>
              <SumHeads visit={visit} />
            </tr>
          </thead>
          <tbody>
            {rows.map(({ head, sum }) => (
              <tr>
                <th scope="row" class="long">
                  {head}
                </th>
                <SumCells visit={visit} sum={sum} />
              </tr>
            ))}
          </tbody>
          <tfoot>
            <tr>
              <th scope="row">{visit.words.organizationPages.total}</th>
              <SumCells visit={visit} sum={sumOf(rows.map(({ sum }) => sum))} />
            </tr>
          </tfoot>
        </table>
      </Scroll>
    </section>
  );
}

function SumHeads({ visit: { words } }: { visit: Visit }): JSX.Element {
  return (
    <>
      {[words.requests, words.units, words.errors].map((name) => (
        <th scope="col" class="number">
          {name}
        </th>
      ))}
    </>
  );
}

/** Errors stand out where there are some. */
function SumCells({ visit, sum }: { visit: Visit; sum: UsageSum }): JSX.Element {
  return (
    <>
      {(["requests", "units", "errors"] as const).map((name) => (
        <td
          class={name === "errors" && sum.errors > 0 ? "number failed" : "number"}
          data-value={sum[name]}
          data-label={visit.words[name]}
        >
          {shownNumber(visit, sum[name])}
        </td>
      ))}
    </>
  );
}
