/** @jsxImportSource hono/jsx */
import type { Period } from "../../../../customers/accounts/plan.ts";
import { quotaEnd } from "../../../../customers/limits/usage-history.ts";
import { notFound } from "../../../../errors.ts";
import { DAY_MS, dayOf } from "../../../../values/moscow-time.ts";
import { DayOf, Instant, LastDayBefore, shownNumber } from "../../look/shown.tsx";
import { planName } from "../../public/plan-cards.tsx";
import type { SitePage } from "../../site-pages.ts";
import { isManager, ownMembership, ownPlan, viewerOf } from "../../visit/viewer.ts";
import {
  asset,
  ORGANIZATION_COOKIE,
  page,
  redirect,
  siteCookie,
  useSite,
  useVisit,
  type View,
} from "../../visit/visit.ts";
import { LastRequests } from "./last-requests.tsx";
import {
  ByDayAndMethod,
  sumByDay,
  sumByDayAndMethod,
  UsageByDay,
  UsageByKey,
  UsageByMethod,
} from "./usage-tables.tsx";

const RANGES = [7, 30, 90];
const RANGE_DEFAULT = 30;

/** `/account/`: the organization's plan and usage. */
export const overviewPage: SitePage = {
  path: "/account/",
  access: "member",
  show: (visit) => page(visit.words.overview, <Overview />),
  actions: { "switch-organization": switchOrganization },
};

/** Plan, usage and latest requests of the visit's organization. @param isReadOnly as staff see it */
export async function Overview({ isReadOnly = false }: { isReadOnly?: boolean }) {
  const visit = useVisit();
  const days = Number(visit.query.get("days"));
  const range = RANGES.includes(days) ? days : RANGE_DEFAULT;
  const to = dayOf(visit.nowMs);
  const from = to - range + 1;
  const organizationId = ownMembership().organization.id;
  const { services, keys } = useSite();
  const [usage, [lastUsed]] = await Promise.all([
    services.usageHistory.summary({ organizationId, from, to }),
    keys.lastUsed({ organizationId, memberId: null, limit: 1 }),
  ]);
  const isNew = (lastUsed?.lastUsedAt ?? null) === null;
  const rows = usage.days;
  return (
    <>
      <PlanCards />
      {!isNew && !isReadOnly && <NextStep />}
      <h2>{visit.words.usage}</h2>
      <Ranges range={range} />
      {rows.length === 0 && isNew && !isReadOnly ? (
        <Unused />
      ) : (
        <UsageByDay days={sumByDay(rows, from, to)} />
      )}
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

/** A new customer is shown one next step; later, a page that is looked at daily has none. */
const NEW_MS = 14 * DAY_MS;
/** Requests after which a program seems to make them. */
const PROGRAM_REQUESTS = 100;

/** The first of the steps after the first call that has not been taken. */
async function NextStep() {
  const { nowMs, words } = useVisit();
  const { organization } = ownMembership();
  if (nowMs - organization.createdAt > NEW_MS) return null;
  const { nextStep, nextWebhook, nextClient, nextAssistant } = words.organizationPages;
  const step = (path: string, text: string) => (
    <p class="notice">
      {nextStep} <a href={asset(path)}>{text}</a>
    </p>
  );
  const { oauth, services } = useSite();
  const { webhooks: webhooksMax } = await ownPlan();
  const { results: webhooks } = await services.webhooks.list(organization.id, 0, 1);
  if (isManager() && webhooksMax > 0 && webhooks.length === 0)
    return step("/account/webhooks/", nextWebhook);
  const days = { from: dayOf(organization.createdAt), to: dayOf(nowMs) };
  const usage = await services.usageHistory.summary({ organizationId: organization.id, ...days });
  const requests = usage.days.reduce((sum, day) => sum + day.requests, 0);
  if (requests < PROGRAM_REQUESTS) return step("/docs/clients/", nextClient);
  const grants = await oauth.grants(organization.id);
  return grants.length === 0 ? step("/account/connect/", nextAssistant) : null;
}

/** In place of an empty chart: how to begin. */
function Unused() {
  const words = useVisit().words.organizationPages;
  return (
    <div class="empty">
      <p>{words.noUsage}</p>
      <a class="button" href={asset("/account/keys/")}>
        {words.firstCall}
      </a>
    </div>
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

/** The organization's plan with its end and period, and the remaining quota. */
async function PlanCards() {
  const visit = useVisit();
  const context = useSite();
  const { nowMs, words: common } = visit;
  const membership = ownMembership();
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
      <ul class="cards figures">
        <QuotaCard period={{ startedAt, endsAt, used }} quota={quota} />
        <li>
          {common.plan}
          <strong>
            <bdi>{planName(plan, visit.language)}</bdi>
          </strong>
          {shownNumber(plan.requestsPerSecond)} {words.perSecond}
          <small>
            {planInForce.endsAt === null ? (
              words.noEnd
            ) : (
              <>
                {common.planEnds}: <LastDayBefore at={planInForce.endsAt} />
              </>
            )}
          </small>
          <a href={asset("/account/plan/")}>{common.planRequest.title}</a>
        </li>
        <li>
          {common.overviewPage.renews}
          <strong>
            <DayOf at={endsAt} withoutYear />
          </strong>
          {common.period}: <DayOf at={startedAt} withoutYear /> – <Instant at={endsAt} />
        </li>
      </ul>
    </>
  );
}

/** How much of the period's quota has been used, as a bar, and when it will end at this pace. */
function QuotaCard({ period, quota }: { period: Period & { used: number }; quota: number }) {
  const { words: common, nowMs } = useVisit();
  const words = common.overviewPage;
  const { used, endsAt } = period;
  const end = quotaEnd(period, quota, nowMs);
  const share = new Intl.NumberFormat(common.locale, { style: "percent" });
  return (
    <li class={typeof end === "number" ? "main warning" : "main"}>
      {common.remaining}
      <strong>{shownNumber(Math.max(0, quota - used))}</strong>
      {common.of} {shownNumber(quota)}
      <progress id="units-used" value={Math.min(used, quota)} max={quota} />
      <label for="units-used">
        {common.used}: {shownNumber(used)} ({share.format(quota === 0 ? 1 : used / quota)})
      </label>
      <small>
        {end === "lasts" && words.lasts}
        {typeof end === "number" && used < quota && (
          <>
            {words.ends} <DayOf at={end} />.
          </>
        )}
        {used >= quota && (
          <>
            {words.over} <Instant at={endsAt} />.
          </>
        )}
      </small>
    </li>
  );
}
