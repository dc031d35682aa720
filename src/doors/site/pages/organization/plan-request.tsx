/** @jsxImportSource hono/jsx */
import type { JSX } from "hono/jsx/jsx-runtime";
import type { HtmlEscapedString } from "hono/utils/html";
import type { Plan, PlanRequest } from "../../../../customers/accounts/accounts.table.ts";
import { PLAN_CODES } from "../../../../customers/accounts/plan.ts";
import { inOrder, offerOf, paymentLink } from "../../../../customers/accounts/plan-offer.ts";
import { pageError, requiredChoice } from "../../forms/faults.ts";
import { requireTurn } from "../../guard/require-turn.ts";
import { ActionButton } from "../../look/action-button.tsx";
import { Form, SelectField, TextAreaField } from "../../look/form.tsx";
import { Instant } from "../../look/shown.tsx";
import { Facts } from "../../look/user-text.tsx";
import { planName, priceText } from "../../public/plan-cards.tsx";
import { useSite, useVisit } from "../../visit/use-visit.ts";
import { redirect, type View } from "../../visit/view.ts";
import { currentActor, isManager, ownMembership, ownPlan } from "../../visit/viewer.ts";

/** The organization's open request for another plan; or the form that makes one, for managers. */
export async function PlanRequestPart(): Promise<HtmlEscapedString | null> {
  const visit = useVisit();
  const words = visit.words.planRequest;
  const open = await useSite().accounts.planRequest(ownMembership().organization.id);
  if (open === null && !isManager()) return null;
  return (
    <details open={open !== null || visit.form.get("action") === "ask-plan"}>
      <summary>{open === null ? words.ask : words.open}</summary>
      {open === null ? (
        await OtherPlans()
      ) : (
        <>
          <RequestFacts request={open} />
          {isManager() && <ActionButton action="withdraw-plan" label={words.withdraw} />}
        </>
      )}
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
        [common.plan, common.planNames[request.plan]],
        [words.note, <bdi class="text">{request.note}</bdi>],
        [words.by, <bdi>{request.person}</bdi>],
        [words.at, <Instant at={request.createdAt} />],
      ]}
    />
  );
}

/** Plans other than the organization's: payment pages, and a request for those without one. */
async function OtherPlans() {
  const visit = useVisit();
  const { words: common, language } = visit;
  const words = common.planRequest;
  const current = (await ownPlan()).code;
  const others = inOrder(await useSite().accounts.plans()).filter(({ code }) => code !== current);
  const label = (plan: Plan) => {
    const price = priceText(offerOf(plan), language);
    return price === null ? planName(plan, language) : `${planName(plan, language)}: ${price}`;
  };
  const asked = others.filter((plan) => offerOf(plan).buy === "request");
  return (
    <>
      {others.map((plan) => {
        const { buy, link } = offerOf(plan);
        if (buy !== "link" || link === null) return null;
        return (
          <p>
            <a
              class="button"
              href={paymentLink(link, ownMembership().organization.id)}
              rel="noopener noreferrer"
            >
              {words.pay} <bdi>{label(plan)}</bdi>
            </a>
          </p>
        );
      })}
      {asked.length > 0 && (
        <Form action="ask-plan">
          <SelectField
            name="plan"
            label={common.plan}
            options={asked.map((plan) => ({ value: plan.code, label: label(plan) }))}
          />
          <TextAreaField name="note" label={words.note} rows={3} required={false} />
          <button type="submit">{words.send}</button>
        </Form>
      )}
    </>
  );
}

export const planRequestActions = {
  async "ask-plan"(): Promise<View> {
    const { form } = useVisit();
    const organizationId = managedOrganization();
    const plan = requiredChoice(PLAN_CODES, form.get("plan"));
    requireTurn([`plan-request ${organizationId}`]);
    const asked = { organizationId, plan, note: form.get("note") };
    await useSite().accounts.requestPlan(asked, currentActor());
    return redirect("/account/?done=asked");
  },

  async "withdraw-plan"(): Promise<View> {
    await useSite().accounts.closePlanRequest(managedOrganization(), currentActor());
    return redirect("/account/?done=withdrawn");
  },
};

/** The organization, for which only owners and administrators ask. */
function managedOrganization(): number {
  if (!isManager()) {
    throw pageError("manager_required", useVisit().words.planRequest.managersOnly);
  }
  return ownMembership().organization.id;
}
