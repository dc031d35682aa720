import type { Plan } from "../../../customers/accounts/accounts.table.ts";
import type { Accounts, Membership } from "../../../customers/accounts/accounts.ts";
import { planInForce } from "../../../customers/accounts/plan.ts";
import type { Actor } from "../../../customers/audit/audit-log.ts";
import type { Caller } from "../../../customers/keys/keys.ts";
import type { OwnItem } from "../../../push/webhooks/manage/webhook-views.ts";
import type { PlanRule } from "../../../verbs/admission.ts";
import { pageError } from "../forms/faults.ts";
import { idOf } from "../forms/read-form.ts";
import { notFoundPage } from "../pages/message.tsx";
import type { SitePage } from "../site-pages.ts";
import { redirect, useSite, useVisit, type View, type Visit } from "./visit.ts";

/** The viewer of an organization's pages with the plan in force, for `viewMethod`. */
export async function viewerOf(
  { member, organization }: Membership,
  accounts: Accounts,
  nowMs: number,
): Promise<Omit<Caller, "key">> {
  const inForce = planInForce(organization, nowMs);
  const plan = await accounts.plan(inForce.plan);
  return { member, organization, planInForce: inForce, plan, copy: null };
}

/** The plan in force of the visitor's organization, on a page for members. */
export async function ownPlan(): Promise<Plan> {
  return (await viewer()).plan;
}

/** The visitor as a viewer of their organization's pages. */
export function viewer(): Promise<Omit<Caller, "key">> {
  return viewerOf(ownMembership(), useSite().accounts, useVisit().nowMs);
}

/** The visitor's membership, on a page for members. */
export function ownMembership(): Membership {
  const { membership } = useVisit();
  if (membership === null) throw new Error("a page for members was shown to somebody else");
  return membership;
}

/** The visitor as the author of a change. */
export function currentActor(): Actor {
  const { signedIn } = useVisit();
  if (signedIn === null) throw new Error("a change was made by somebody who is not signed in");
  return { person: signedIn.person.email, keyId: null };
}

/** Whether the visitor is an owner or administrator. */
export function isManager(): boolean {
  return ownMembership().member.role !== "member";
}

/** Answer for a visitor who may not see the page, or null. */
export function refusal({ access }: SitePage, visit: Visit): View | null {
  if (access === "anybody") return null;
  if (visit.signedIn === null) {
    return redirect(`/account/sign-in/?next=${encodeURIComponent(visit.path)}`);
  }
  if (access === "person") return null;
  if (access === "staff") return visit.signedIn.person.isStaff ? null : notFoundPage();
  if (visit.membership === null) return redirect("/account/profile/");
  if (access === "manager" && visit.membership.member.role === "member") return notFoundPage();
  return null;
}

/** @throws AppError `manager_required` */
export function requireManager(): void {
  const { managersOnly } = useVisit().words.organizationPages;
  if (!isManager()) throw pageError("manager_required", managersOnly);
}

/** Whether the current plan includes something. */
export async function isInPlan(rule: PlanRule): Promise<boolean> {
  return rule(await viewer(), useSite().services) === null;
}

/** @param planWithout says that a plan does not include it @throws AppError `tariff_required` */
export async function requireIncluded(
  rule: PlanRule,
  planWithout: (plan: string) => string,
): Promise<void> {
  if (await isInPlan(rule)) return;
  throw pageError("tariff_required", planWithout((await ownPlan()).code));
}

/** The webhook or alert of the visitor's organization that the address names. @throws AppError `not_found` */
export function ownItem(): OwnItem {
  return { organizationId: ownMembership().organization.id, id: idOf(named().id) };
}

/** The number in the address, as the API's methods take it. */
export const named = () => ({ id: useVisit().params["id"] ?? "" });
