import type { Plan } from "../../../customers/accounts/accounts.table.ts";
import type { Accounts, Membership } from "../../../customers/accounts/accounts.ts";
import { planInForce } from "../../../customers/accounts/plan.ts";
import type { Actor } from "../../../customers/audit/audit-log.ts";
import type { Caller } from "../../../customers/keys/keys.ts";
import { notFound } from "../../../errors.ts";
import type { OwnItem } from "../../../push/webhooks/manage/webhook-views.ts";
import { parseNumber } from "../../../values/fields.ts";
import type { PlanRule } from "../../../verbs/admission.ts";
import { pageError } from "../forms/faults.ts";
import { notFoundPage } from "../pages/message.tsx";
import type { SiteContext } from "../site-context.ts";
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

/** Things, such as webhooks, that an organization has by its plan and that its managers change. */
interface Items<Item> {
  name: "alert" | "webhook";
  /** Whether the plan includes them. */
  included: PlanRule;
  /** Whether the plan includes them, or some are left from a plan that did. */
  includedOrKept: PlanRule;
  wordsOf(visit: Visit): { managersOnly: string; planWithout(plan: string): string };
  get(own: OwnItem, context: SiteContext): Promise<Item>;
}

/** Who may do what with such things on pages: the rules of the API's methods. */
export function accessTo<Item>({ name, included, includedOrKept, wordsOf, get }: Items<Item>) {
  const allows = async (rule: PlanRule): Promise<boolean> =>
    rule(await viewer(), useSite().services) === null;

  const areIncluded = (): Promise<boolean> => allows(included);

  /** Identifies the item that the address names. @throws AppError `not_found` */
  function ownOf(): OwnItem {
    const id = parseNumber(useVisit().params["id"] ?? "");
    if (id === null) throw notFound(name);
    return { organizationId: ownMembership().organization.id, id };
  }

  /** @throws AppError `manager_required` */
  function requireManager(): void {
    if (!isManager()) throw pageError("manager_required", wordsOf(useVisit()).managersOnly);
  }

  /** @throws AppError `tariff_required` */
  async function requireIncluded(): Promise<void> {
    if (await areIncluded()) return;
    const { code } = await ownPlan();
    throw pageError("tariff_required", wordsOf(useVisit()).planWithout(code));
  }

  /** @throws AppError `not_found` */
  async function itemOf(): Promise<Item> {
    const own = ownOf();
    if (!(await allows(includedOrKept))) throw notFound(name);
    return get(own, useSite());
  }

  /** The item that the address names, which the visitor may change. @throws AppError as the others */
  async function itemToChange(): Promise<Item> {
    requireManager();
    const item = await itemOf();
    await requireIncluded();
    return item;
  }

  return { areIncluded, ownOf, requireManager, requireIncluded, itemOf, itemToChange };
}
