/** @jsxImportSource hono/jsx */
import type { JSX } from "hono/jsx/jsx-runtime";
import type { Plan, PlanRequest } from "../../../../customers/accounts/accounts.table.ts";
import type { PlanCode } from "../../../../customers/accounts/plan.ts";
import { inOrder, offerOf, paymentLink } from "../../../../customers/accounts/plan.ts";
import type { StripeSubscription } from "../../../../customers/selling/selling.table.ts";
import type { Stripe } from "../../../../customers/selling/stripe.ts";
import { notFound } from "../../../../errors.ts";
import { pageError } from "../../forms/faults.ts";
import { requireTurn } from "../../guard/throttle.ts";
import { ActionButton, RowFaults } from "../../look/action-button.tsx";
import { Form, isSent, TextAreaField } from "../../look/form.tsx";
import { PlanName } from "../../look/resource-list.tsx";
import { DayOf, Instant, LastDayBefore } from "../../look/shown.tsx";
import { Done, Facts } from "../../look/user-text.tsx";
import { PlanFacts, planName, refundText } from "../../public/plan-cards.tsx";
import type { SitePage } from "../../site-pages.ts";
import { currentActor, isManager, ownMembership, viewer } from "../../visit/viewer.ts";
import { page, redirect, useSite, useVisit, type View } from "../../visit/visit.ts";

const PATH = "/account/plan/";

/** `/account/plan/`: the plans with their prices, and how each is bought. */
export const planPage: SitePage = {
  path: PATH,
  access: "member",
  async show({ words, query }, { stripe }) {
    const session = query.get("session");
    if (session !== null && stripe !== null) {
      await stripe.returned(session, ownMembership().organization.id);
      return redirect(`${PATH}?done=paid`);
    }
    return page(words.planRequest.title, <PlanAndPayment />);
  },
  actions: {
    portal,
    "withdraw-plan": withdraw,
  },
  actionsOf: { ask, buy },
};

async function PlanAndPayment() {
  const { words } = useVisit();
  const { accounts, stripe } = useSite();
  const { id } = ownMembership().organization;
  const open = await accounts.planRequest(id);
  const { plan: current, planInForce } = await viewer();
  const subscription = stripe?.subscription(id) ?? null;
  const plans = inOrder(await accounts.plans());
  const place = plans.findIndex(({ code }) => code === current.code);
  return (
    <>
      <Done words={words.planRequest.done} />
      <RowFaults actions={["withdraw-plan", "portal", ...plans.map(({ code }) => `buy-${code}`)]} />
      {subscription === null ? (
        planInForce.endsAt !== null && (
          <p>
            {words.planEnds}: <LastDayBefore at={planInForce.endsAt} />
          </p>
        )
      ) : (
        <Payment subscription={subscription} />
      )}
      {open !== null && (
        <section class="card">
          <h2>{words.planRequest.open}</h2>
          <RequestFacts request={open} />
          {isManager() && (
            <ActionButton action="withdraw-plan" label={words.planRequest.withdraw} inRow />
          )}
        </section>
      )}
      <h2 class="hidden">{words.startPage.plans}</h2>
      <ul class="plans">
        {plans.map((plan, at) => (
          <li class={plan.code === current.code ? "current" : undefined}>
            <PlanFacts plan={plan} language={useVisit().language} />
            {plan.code === current.code ? (
              <span class="badge good">{words.planRequest.yours}</span>
            ) : (
              isManager() && (
                <Buy
                  plan={plan}
                  isAsked={open !== null}
                  isPaying={subscription !== null}
                  isLess={at < place}
                />
              )
            )}
          </li>
        ))}
      </ul>
      {!isManager() && <p>{words.planRequest.managersOnly}</p>}
      {stripe !== null && <Refunds refunds={stripe.refunds(id)} />}
    </>
  );
}

/** How a subscription goes on, and the way to Stripe's own pages about it. */
function Payment({ subscription }: { subscription: StripeSubscription }) {
  const words = useVisit().words.planRequest;
  const { status, isEnding, paidUntil, givenUntil } = subscription;
  const isDue = status === "past_due" || status === "unpaid";
  return (
    <section class={isDue ? "card warning" : "card"}>
      <p>
        {isDue ? words.paymentFailed : isEnding ? words.paymentEnds : words.paymentRenews}{" "}
        <strong>
          <DayOf at={(isDue ? givenUntil : paidUntil) ?? subscription.checkedAt} />
        </strong>
      </p>
      {isManager() && <ActionButton action="portal" label={words.portal} inRow />}
    </section>
  );
}

function Refunds({ refunds }: { refunds: ReturnType<Stripe["refunds"]> }) {
  const { language, words } = useVisit();
  if (refunds.length === 0) return null;
  return (
    <section>
      <h2>{words.planRequest.refunds}</h2>
      <ul>
        {refunds.map(({ at, ...refund }) => (
          <li>
            {refundText(refund, language)}, <DayOf at={at} />
          </li>
        ))}
      </ul>
    </section>
  );
}

/** The way to a plan: Stripe, a payment page, or a request to the operator. */
function Buy({
  plan,
  isAsked,
  isPaying,
  isLess,
}: {
  plan: Plan;
  isAsked: boolean;
  isPaying: boolean;
  /** Whether it is offered before the organization's own plan: its button is not the main one. */
  isLess: boolean;
}) {
  const visit = useVisit();
  const words = visit.words.planRequest;
  const { buy, link } = offerOf(plan);
  const name = planName(plan, visit.language);
  const look = isLess ? "button second" : "button";
  if (buy === "stripe" && useSite().stripe !== null) {
    // Another price of a subscription is chosen where it is paid.
    const action = isPaying ? "portal" : `buy-${plan.code}`;
    return (
      <div class={isLess ? "others" : undefined}>
        <ActionButton action={action} label={words.pay} description={name} inRow />
      </div>
    );
  }
  if (buy === "link" && link !== null) {
    const to = paymentLink(link, ownMembership().organization.id);
    return (
      <a class={look} href={to} rel="noopener noreferrer">
        {words.pay} <span class="hidden">{name}</span>
      </a>
    );
  }
  if (isAsked) return null;
  const action = `ask-${plan.code}`;
  return (
    <details open={isSent(action)}>
      <summary class={look}>
        {words.ask} <span class="hidden">{name}</span>
      </summary>
      <Form action={action} submit={words.send}>
        <TextAreaField name="note" label={words.note} rows={3} required={false} />
      </Form>
    </details>
  );
}

/** What a request says. */
export function RequestFacts({ request }: { request: PlanRequest }): JSX.Element {
  const { words: common } = useVisit();
  const words = common.planRequest;
  return (
    <Facts
      facts={[
        [common.plan, <PlanName code={request.plan} />],
        [words.note, <bdi class="text">{request.note}</bdi>],
        [words.by, <bdi>{request.person}</bdi>],
        [words.at, <Instant at={request.createdAt} />],
      ]}
    />
  );
}

async function ask(plan: PlanCode): Promise<View> {
  const organizationId = managedOrganization();
  requireTurn([`plan-request ${organizationId}`]);
  const asked = { organizationId, plan, note: useVisit().form.get("note") };
  await useSite().accounts.requestPlan(asked, currentActor());
  return redirect(`${PATH}?done=asked`);
}

async function withdraw(): Promise<View> {
  await useSite().accounts.closePlanRequest(managedOrganization(), currentActor());
  return redirect(`${PATH}?done=withdrawn`);
}

async function buy(code: PlanCode): Promise<View> {
  const id = managedOrganization();
  const { language, ownAddress } = useVisit();
  const { accounts, stripe } = useSite();
  if (stripe === null) throw notFound("address");
  requireTurn([`checkout ${id}`]);
  const [plan, { organization }] = [await accounts.plan(code), ownMembership()];
  const { person: email } = currentActor();
  const page = ownAddress + PATH;
  return leave(await stripe.checkout({ organization, plan, email, language, page }));
}

async function portal(): Promise<View> {
  const id = managedOrganization();
  const { language, ownAddress } = useVisit();
  const { stripe } = useSite();
  if (stripe === null) throw notFound("address");
  requireTurn([`checkout ${id}`]);
  return leave(await stripe.portal(id, language, ownAddress + PATH));
}

/** A page that leads elsewhere at once: browsers let no form of the site end at another one. */
function leave(to: string): View {
  const words = useVisit().words.planRequest;
  return page(
    words.leaving,
    <p>
      <a class="button" href={to}>
        {words.leave}
      </a>
    </p>,
    { headers: { refresh: `0; url=${to}` } },
  );
}

/** The organization, for which only owners and administrators buy. */
function managedOrganization(): number {
  if (!isManager()) {
    throw pageError("manager_required", useVisit().words.planRequest.managersOnly);
  }
  return ownMembership().organization.id;
}
