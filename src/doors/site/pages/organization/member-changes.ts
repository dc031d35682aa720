import { MEMBER_ROLES, type Member } from "../../../../customers/accounts/accounts.table.ts";
import type { MemberChange, MemberDenial } from "../../../../customers/accounts/member-changes.ts";
import type { AppError } from "../../../../errors.ts";
import { pageError, requiredChoice } from "../../forms/faults.ts";
import { sentNumber } from "../../look/action-button.tsx";
import { useSite, useVisit } from "../../visit/use-visit.ts";
import { redirect, type View } from "../../visit/view.ts";
import { ownMembership } from "../../visit/viewer.ts";

export async function changeRole(): Promise<View> {
  const role = requiredChoice(MEMBER_ROLES, useVisit().form.get("role"));
  await change({ role });
  return redirect("/account/members/?done=role");
}

/** Suspends a member: their keys are refused from the next request on, and pages are closed to them. */
export async function suspend(): Promise<View> {
  await change({ isSuspended: true });
  return redirect("/account/members/?done=suspended");
}

export async function restore(): Promise<View> {
  await change({ isSuspended: false });
  return redirect("/account/members/?done=restored");
}

async function change(wanted: MemberChange): Promise<Member> {
  const { accounts } = useSite();
  const actor = ownMembership().member;
  const { id } = await requireSentMember();
  const changed = await accounts.changeMemberAs(actor.id, id, wanted);
  if (!changed.ok) throw refused(changed.denial);
  return changed.member;
}

/** The member that a row's form names. @throws AppError `not_found` for another organization's */
export async function requireSentMember(): Promise<Member> {
  const visit = useVisit();
  const { accounts } = useSite();
  const id = sentNumber("member");
  const members = await accounts.members(ownMembership().organization.id);
  const found = members.find((member) => member.id === id);
  if (found === undefined) {
    throw pageError("not_found", visit.words.organizationPages.noSuchMember);
  }
  return found;
}

export function refused(denial: MemberDenial): AppError {
  const { words } = useVisit();
  const isForbidden = denial === "managers_only" || denial === "owners_only";
  const { denials } = words.organizationPages;
  return pageError(isForbidden ? "manager_required" : "conflict", denials[denial]);
}
