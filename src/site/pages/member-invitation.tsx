/** @jsxImportSource hono/jsx */
import { MEMBER_ROLES, type Member } from "../../accounts/accounts.table.ts";
import { requiredEmail, requiredName } from "../../accounts/accounts.ts";
import { roleDenial } from "../../accounts/member-rules.ts";
import { AppError, fieldError } from "../../errors.ts";
import type { PasswordLink } from "../../people/people.ts";
import { asset } from "../layout.tsx";
import { invitationMail, passwordAddress } from "../mail-texts.ts";
import { Snippet } from "../shown.tsx";
import type { SiteContext } from "../site-context.ts";
import { page, redirect, type View } from "../view.ts";
import { actorOf, membershipOf } from "../viewer.ts";
import type { Visit } from "../visit.ts";
import { organizationWords } from "../words/organization.ts";
import { refused, requireSentMember } from "./member-changes.ts";

/** Adds a member, and the person where nobody has the address yet. */
export async function invite(visit: Visit, context: SiteContext): Promise<View> {
  const { form } = visit;
  const actor = membershipOf(visit).member;
  const { organizationId } = actor;
  const role = MEMBER_ROLES.find((one) => one === form.get("role"));
  if (role === undefined) {
    throw fieldError({ role: [organizationWords[visit.language].wrongRole] });
  }
  const denial = roleDenial(actor, role);
  if (denial !== null) throw refused(visit, denial);
  const email = requiredEmail(form.get("email"));
  const name = requiredName(form.get("name"));
  // Before the member, who could not be invited once more if this failed.
  const ensured = await context.people.ensurePerson({ email, name });
  const { person } = ensured;
  let { hasPassword } = ensured;
  const isElsewhere = context.accounts.isMemberElsewhere(email, organizationId);
  if (!ensured.isVerified && (hasPassword || isElsewhere)) {
    // Whoever invited them there may have chosen their password: the mailbox decides who they are.
    if (!context.mails.canSend) {
      throw fieldError({ email: [organizationWords[visit.language].unverified] });
    }
    hasPassword = await context.people.distrust(email);
  }
  const added = { organizationId, email, name, role };
  const member = await context.accounts.addMember(added, actorOf(visit));
  if (!hasPassword) return sendLink(visit, context, member, person.isStaff);
  if (!context.mails.canSend) return redirect("/account/members/?done=added");
  await context.mails.queue(mailTo(visit, email, null));
  return redirect("/account/members/?done=invited");
}

/** Once more, for a member who has no password yet: links are lost, and end after three days. */
export async function linkAgain(visit: Visit, context: SiteContext): Promise<View> {
  const words = organizationWords[visit.language];
  const actor = membershipOf(visit).member;
  const member = requireSentMember(visit, context);
  const denial = roleDenial(actor, member.role);
  if (denial !== null) throw refused(visit, denial);
  if (member.suspendedAt !== null) throw new AppError("conflict", words.isSuspended);
  const { email } = member;
  const { person, hasPassword } = await context.people.ensurePerson({ email, name: member.name });
  if (hasPassword) throw new AppError("conflict", words.hasPassword);
  // Nobody's mailbox is to be filled from here.
  if (!context.attempts.take([`invitation ${email.toLowerCase()}`], visit.nowMs)) {
    throw new AppError("throttled", visit.words.tooManyAttempts);
  }
  return sendLink(visit, context, member, person.isStaff, {
    by: actorOf(visit),
    organizationId: member.organizationId,
    action: "member.link",
    target: `member ${member.id}`,
    details: { email },
  });
}

/**
 * The link by which they choose a password goes to their mailbox. Where no mail can be sent the
 * inviter gets it, but for a person who is more than a member of this organization: with their
 * password, the inviter would be them elsewhere too.
 */
async function sendLink(
  visit: Visit,
  { accounts, people, mails }: SiteContext,
  { email, organizationId }: Member,
  isStaff: boolean,
  change?: PasswordLink["change"],
): Promise<View> {
  if (!mails.canSend && (isStaff || accounts.isMemberElsewhere(email, organizationId))) {
    return linkView(visit, null);
  }
  const token = await people.passwordLink({ email, isTrusted: mails.canSend, change });
  if (token === null) throw new Error("a person who was just there is gone");
  if (!mails.canSend) return linkView(visit, passwordAddress(visit.baseAddress, token));
  await mails.queue(mailTo(visit, email, token));
  return redirect("/account/members/?done=invited");
}

function mailTo(visit: Visit, email: string, token: string | null) {
  const { member, organization } = membershipOf(visit);
  const names = { organization: organization.name, inviter: member.name || member.email };
  return invitationMail(visit.baseAddress, email, names, token);
}

/** The answer itself shows the link, this once. */
function linkView(visit: Visit, link: string | null): View {
  const words = organizationWords[visit.language];
  return page(
    link === null ? visit.words.members : words.linkTitle,
    <>
      <p role="status">{link === null ? words.linkNotShown : words.linkText}</p>
      {link !== null && <Snippet text={link} label={words.link} words={words} />}
      <p>
        <a class="button" href={asset(visit, "/account/members/")}>
          {link === null ? visit.words.members : words.linkKept}
        </a>
      </p>
    </>,
  );
}
