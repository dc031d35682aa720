import { MEMBER_ROLES, type Member } from "../../../../customers/accounts/accounts.table.ts";
import type { MemberChange, MemberDenial } from "../../../../customers/accounts/member-rules.ts";
import type { AppError } from "../../../../errors.ts";
import { pageError, requiredChoice } from "../../forms/faults.ts";
import { sentNumber } from "../../look/row-actions.tsx";
import type { SiteContext } from "../../site-context.ts";
import { redirect, type View } from "../../visit/view.ts";
import { membershipOf } from "../../visit/viewer.ts";
import type { Visit } from "../../visit/visit.ts";

export async function changeRole(visit: Visit, context: SiteContext): Promise<View> {
  const role = requiredChoice(MEMBER_ROLES, visit.form.get("role"));
  await change(visit, context, { role });
  return redirect("/account/members/?done=role");
}

/** Suspends a member: their keys are refused from the next request on, and pages are closed to them. */
export async function suspend(visit: Visit, context: SiteContext): Promise<View> {
  await change(visit, context, { isSuspended: true });
  return redirect("/account/members/?done=suspended");
}

export async function restore(visit: Visit, context: SiteContext): Promise<View> {
  await change(visit, context, { isSuspended: false });
  return redirect("/account/members/?done=restored");
}

async function change(
  visit: Visit,
  { accounts }: SiteContext,
  wanted: MemberChange,
): Promise<Member> {
  const actor = membershipOf(visit).member;
  const { id } = await requireSentMember(visit, { accounts });
  const changed = await accounts.changeMemberAs(actor.id, id, wanted);
  if (!changed.ok) throw refused(visit, changed.denial);
  return changed.member;
}

/** The member that a row's form names. @throws AppError `not_found` for another organization's */
export async function requireSentMember(
  visit: Visit,
  { accounts }: Pick<SiteContext, "accounts">,
): Promise<Member> {
  const id = sentNumber(visit, "member");
  const members = await accounts.members(membershipOf(visit).organization.id);
  const found = members.find((member) => member.id === id);
  if (found === undefined) {
    throw pageError("not_found", visit.words.organizationPages.noSuchMember);
  }
  return found;
}

export function refused({ words }: Visit, denial: MemberDenial): AppError {
  const isForbidden = denial === "managers_only" || denial === "owners_only";
  const { denials } = words.organizationPages;
  return pageError(isForbidden ? "manager_required" : "conflict", denials[denial]);
}
