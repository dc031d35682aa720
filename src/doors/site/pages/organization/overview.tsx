/** @jsxImportSource hono/jsx */
import type { JSX } from "hono/jsx/jsx-runtime";
import type { HtmlEscapedString } from "hono/utils/html";
import { notFound } from "../../../../errors.ts";
import { dayOf } from "../../../../values/moscow-time.ts";
import type { PartProps } from "../../site-context.ts";
import type { SitePage } from "../../site-pages.ts";
import { ORGANIZATION_COOKIE, siteCookie } from "../../visit/site-cookies.ts";
import { page, redirect, type View } from "../../visit/view.ts";
import { membershipOf } from "../../visit/viewer.ts";
import type { Visit } from "../../visit/visit.ts";
import { LastRequests } from "./last-requests.tsx";
import { PlanCards } from "./plan-cards.tsx";
import { sumByDay, sumByDayAndMethod } from "./usage-sums.ts";
import { ByDayAndMethod, UsageByDay, UsageByKey, UsageByMethod } from "./usage-tables.tsx";

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

/** Plan, usage and latest requests of the visit's organization. @param isReadOnly as staff see it */
export async function Overview({
  visit,
  context,
  isReadOnly = false,
}: PartProps & {
  isReadOnly?: boolean;
}): Promise<HtmlEscapedString> {
  const days = Number(visit.query.get("days"));
  const range = RANGES.includes(days) ? days : RANGE_DEFAULT;
  const to = dayOf(visit.nowMs);
  const from = to - range + 1;
  const organizationId = membershipOf(visit).organization.id;
  const usage = await context.services.usageHistory.summary({ organizationId, from, to });
  const rows = usage.days;
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
      {rows.length > 0 && <UsageByKey visit={visit} context={context} usage={usage} />}
      {rows.length > 0 &&
        (["requests", "units"] as const).map((counted) => (
          <ByDayAndMethod
            visit={visit}
            counted={counted}
            usage={sumByDayAndMethod(rows, from, to)}
          />
        ))}
      <LastRequests visit={visit} context={context} isReadOnly={isReadOnly} />
      <p>
        <small>{visit.words.organizationPages.moscowTime}</small>
      </p>
    </>
  );
}

/** Switches the organization whose pages are shown. */
function switchOrganization({ form, memberships }: Visit): View {
  const chosen = memberships.find(
    ({ organization }) => String(organization.id) === form.get("organization"),
  );
  if (chosen === undefined) throw notFound("organization");
  const cookie = siteCookie(ORGANIZATION_COOKIE, String(chosen.organization.id));
  return redirect("/account/", [cookie]);
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
