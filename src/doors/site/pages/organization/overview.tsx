/** @jsxImportSource hono/jsx */
import { notFound } from "../../../../errors.ts";
import { dayOf } from "../../../../values/moscow-time.ts";
import { Done } from "../../look/done.tsx";
import { RowFaults } from "../../look/row-actions.tsx";
import type { SitePage } from "../../site-pages.ts";
import { ORGANIZATION_COOKIE, siteCookie } from "../../visit/site-cookies.ts";
import { useSite, useVisit } from "../../visit/use-visit.ts";
import { page, redirect, type View } from "../../visit/view.ts";
import { ownMembership } from "../../visit/viewer.ts";
import { LastRequests } from "./last-requests.tsx";
import { PlanCards } from "./plan-cards.tsx";
import { PlanRequestPart, planRequestActions } from "./plan-request.tsx";
import { sumByDay, sumByDayAndMethod } from "./usage-sums.ts";
import { ByDayAndMethod, UsageByDay, UsageByKey, UsageByMethod } from "./usage-tables.tsx";

const RANGES = [7, 30, 90];
const RANGE_DEFAULT = 30;

/** `/account/`: the organization's plan and usage. */
export const overviewPage: SitePage = {
  path: "/account/",
  access: "member",
  show: (visit) => page(visit.words.overview, <Overview />),
  actions: { "switch-organization": switchOrganization, ...planRequestActions },
};

/** Plan, usage and latest requests of the visit's organization. @param isReadOnly as staff see it */
export async function Overview({ isReadOnly = false }: { isReadOnly?: boolean }) {
  const visit = useVisit();
  const days = Number(visit.query.get("days"));
  const range = RANGES.includes(days) ? days : RANGE_DEFAULT;
  const to = dayOf(visit.nowMs);
  const from = to - range + 1;
  const organizationId = ownMembership().organization.id;
  const usage = await useSite().services.usageHistory.summary({ organizationId, from, to });
  const rows = usage.days;
  return (
    <>
      {!isReadOnly && <Done words={visit.words.planRequest.done} />}
      {!isReadOnly && <RowFaults actions={["withdraw-plan"]} />}
      <PlanCards />
      {!isReadOnly && <PlanRequestPart />}
      <h2>{visit.words.usage}</h2>
      <Ranges range={range} />
      <UsageByDay days={sumByDay(rows, from, to)} />
      {rows.length > 0 && (
        <p>
          <small>{visit.words.overviewPage.todayUnfinished}</small>
        </p>
      )}
      {rows.length > 0 && <UsageByMethod rows={rows} />}
      {rows.length > 0 && <UsageByKey usage={usage} />}
      {rows.length > 0 &&
        (["requests", "units"] as const).map((counted) => (
          <ByDayAndMethod counted={counted} usage={sumByDayAndMethod(rows, from, to)} />
        ))}
      <LastRequests isReadOnly={isReadOnly} />
      <p>
        <small>{visit.words.organizationPages.moscowTime}</small>
      </p>
    </>
  );
}

/** Switches the organization whose pages are shown. */
function switchOrganization(): View {
  const { form, memberships } = useVisit();
  const chosen = memberships.find(
    ({ organization }) => String(organization.id) === form.get("organization"),
  );
  if (chosen === undefined) throw notFound("organization");
  const cookie = siteCookie(ORGANIZATION_COOKIE, String(chosen.organization.id));
  return redirect("/account/", [cookie]);
}

function Ranges({ range }: { range: number }) {
  const visit = useVisit();
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
