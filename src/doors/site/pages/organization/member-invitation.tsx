/** @jsxImportSource hono/jsx */
import { MEMBER_ROLES, type Member } from "../../../../customers/accounts/accounts.table.ts";
import { requiredName } from "../../../../customers/accounts/accounts.ts";
import type { MemberChange, MemberDenial } from "../../../../customers/accounts/member-changes.ts";
import { roleDenial } from "../../../../customers/accounts/member-changes.ts";
import { type PasswordLink, passwordAddress } from "../../../../customers/people/passwords.ts";
import type { EnsuredPerson } from "../../../../customers/people/people.ts";
import type { AppError } from "../../../../errors.ts";
import { pageError, readFields, requiredChoice } from "../../forms/faults.ts";
import { requireTurn } from "../../guard/throttle.ts";
import { sentNumber } from "../../look/action-button.tsx";
import { Snippet } from "../../look/shown.tsx";
import { invitationMail, passwordMail } from "../../mail-texts.ts";
import { currentActor, ownMembership } from "../../visit/viewer.ts";
import { asset, page, redirect, useSite, useVisit, type View } from "../../visit/visit.ts";

/**
 * Adds a member, and a person if nobody has the address yet. The answer is the same either way, so that
 * inviters learn nothing about other organizations' people.
 */
export async function invite(): Promise<View> {
  const context = useSite();
  const { form } = useVisit();
  const actor = ownMembership().member;
  const { organizationId } = actor;
  const memberDenial = roleDenial(actor, "member");
  if (memberDenial !== null) throw refused(memberDenial);
  const { email, name, role } = await readFields({
    email: () => context.accounts.newMemberEmail(organizationId, form.get("email")),
    name: () => requiredName(form.get("name")),
    role: () => requiredChoice(MEMBER_ROLES, form.get("role")),
  });
  const denial = roleDenial(actor, role);
  if (denial !== null) throw refused(denial);
  takeInvitation(email);
  // The person is created before the member, who could not be invited again if this failed.
  const ensured = await context.people.ensurePerson({ email, name });
  const added = { organizationId, email, name, role };
  const member = await context.accounts.addMember(added, currentActor());
  if (!context.mails.canSend) {
    return linkView(await copiedLink(member, ensured));
  }
  // A password chosen with a copied link proves no mailbox: the link in the mail must come first.
  const isKnown = ensured.hasPassword && ensured.person.isVerified;
  const token = isKnown ? null : await context.people.passwordLink({ email, isTrusted: true });
  await context.mails.queue(invitationTo(email, token));
  return redirect("/account/members/?done=invited");
}

/** Sends another link: links get lost or expire after three days, and passwords are forgotten. */
export async function linkAgain(): Promise<View> {
  const visit = useVisit();
  const context = useSite();
  const words = visit.words.organizationPages;
  const actor = ownMembership().member;
  const member = await requireSentMember();
  const denial = roleDenial(actor, member.role);
  if (denial !== null) throw refused(denial);
  if (member.suspendedAt !== null) throw pageError("conflict", words.isSuspended);
  const { email, name } = member;
  takeInvitation(email);
  const ensured = await context.people.ensurePerson({ email, name });
  const change = {
    by: currentActor(),
    organizationId: member.organizationId,
    action: "member.link",
    id: member.id,
    details: { email },
  } as const;
  if (!context.mails.canSend) {
    return linkView(await copiedLink(member, ensured, change));
  }
  const link = { email, isTrusted: true, change };
  const token = (await context.people.passwordLink(link)) ?? "";
  await context.mails.queue(
    ensured.hasPassword ? passwordMail(visit, email, token) : invitationTo(email, token),
  );
  return redirect("/account/members/?done=linked");
}

/** Limits invitations, with which somebody could fill a mailbox. @throws AppError `throttled` */
function takeInvitation(email: string): void {
  const visit = useVisit();
  const { organization } = ownMembership();
  const names = [
    `inviter ${visit.signedIn?.person.id}`,
    `inviter organization ${organization.id}`,
    `mail ${email.toLowerCase()} ${organization.id}`,
  ];
  requireTurn(names, visit.words.organizationPages.tooManyInvitations);
}

/**
 * The link for choosing a password, which the inviter passes on if no mail can be sent. For somebody who
 * has a password, is staff or belongs to another organization, it would let the inviter take over their
 * account: the link then looks the same but opens nothing, and they sign in with their existing password.
 */
async function copiedLink(
  { email, organizationId }: Member,
  { person, hasPassword }: EnsuredPerson,
  change?: PasswordLink["change"],
): Promise<string> {
  const visit = useVisit();
  const { accounts, people, ports } = useSite();
  const places = await accounts.allMembershipsOf(email);
  const isElsewhere = places.some(({ organization }) => organization.id !== organizationId);
  const isUnsafe = hasPassword || person.isStaff || isElsewhere;
  const token = isUnsafe ? null : await people.passwordLink({ email, isTrusted: false, change });
  // A token that opens nothing, in the library's format.
  const unusable = Buffer.from(ports.random.bytes(48)).toString("base64").replace(/[+/=]/g, "");
  return passwordAddress(visit.ownAddress, token ?? unusable.slice(0, 24));
}

function invitationTo(email: string, token: string | null) {
  const visit = useVisit();
  const { member, organization } = ownMembership();
  const names = { organization: organization.name, inviter: member.name || member.email };
  return invitationMail(visit, email, names, token);
}

/** The link is shown once, in the answer itself. */
function linkView(link: string): View {
  const words = useVisit().words.organizationPages;
  return page(
    words.linkTitle,
    <>
      <p role="status">{words.linkText}</p>
      <Snippet text={link} label={words.link} />
      <p>
        <a class="button" href={asset("/account/members/")}>
          {words.linkKept}
        </a>
      </p>
    </>,
  );
}

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
async function requireSentMember(): Promise<Member> {
  const { accounts } = useSite();
  const id = sentNumber("member");
  const members = await accounts.members(ownMembership().organization.id);
  const found = members.find((member) => member.id === id);
  if (found === undefined) {
    throw pageError("not_found", useVisit().words.organizationPages.noSuchMember);
  }
  return found;
}

function refused(denial: MemberDenial): AppError {
  const { words } = useVisit();
  const isForbidden = denial === "managers_only" || denial === "owners_only";
  const { denials } = words.organizationPages;
  return pageError(isForbidden ? "manager_required" : "conflict", denials[denial]);
}
