import {
  MEMBER_ROLES,
  type Member,
  type Organization,
} from "../../../../../customers/accounts/accounts.table.ts";
import { optionalName } from "../../../../../customers/accounts/accounts.ts";
import { PLAN_CODES } from "../../../../../customers/accounts/plan.ts";
import { notFound } from "../../../../../errors.ts";
import { readFields, requiredChoice } from "../../../forms/faults.ts";
import { readLastDay } from "../../../forms/last-day.ts";
import { invitationMail } from "../../../mail-texts.ts";
import type { SiteContext } from "../../../site-context.ts";
import { redirect, type View } from "../../../visit/view.ts";
import { actorOf } from "../../../visit/viewer.ts";
import type { Visit } from "../../../visit/visit.ts";
import { addressedId, idOf } from "../console.tsx";
import { linkView } from "./link-view.tsx";

/** Staff's changes to an organization, each of which is recorded. */

export async function givePlan(visit: Visit, context: SiteContext): Promise<View> {
  const { id } = await organizationOf(visit, context);
  const { plan, ends } = await readFields({
    plan: () => requiredChoice(PLAN_CODES, visit.form.get("plan")),
    ends: () => readLastDay(visit.form.get("ends"), visit.nowMs),
  });
  await context.accounts.givePlan(id, plan, ends, actorOf(visit));
  return done(visit, ends === null ? "planned-without-end" : "planned");
}

export async function archive(visit: Visit, context: SiteContext): Promise<View> {
  const { id } = await organizationOf(visit, context);
  await context.accounts.archiveOrganization(id, actorOf(visit));
  return done(visit, "archived");
}

export async function restore(visit: Visit, context: SiteContext): Promise<View> {
  const { id } = await organizationOf(visit, context);
  await context.accounts.restoreOrganization(id, actorOf(visit));
  return done(visit, "restored");
}

export async function changeRole(visit: Visit, context: SiteContext): Promise<View> {
  const { id } = await memberOf(visit, context);
  const role = requiredChoice(MEMBER_ROLES, visit.form.get("role"));
  await context.accounts.changeRole(id, role, actorOf(visit));
  return done(visit, "role");
}

export async function suspend(visit: Visit, context: SiteContext): Promise<View> {
  const { id } = await memberOf(visit, context);
  await context.accounts.suspendMember(id, actorOf(visit));
  return done(visit, "suspended");
}

export async function reinstate(visit: Visit, context: SiteContext): Promise<View> {
  const { id } = await memberOf(visit, context);
  await context.accounts.reinstateMember(id, actorOf(visit));
  return done(visit, "reinstated");
}

/** Invites an owner: by mail if a mail server is configured, otherwise with a link to pass on. */
export async function addOwner(visit: Visit, context: SiteContext): Promise<View> {
  const { accounts, people, mails } = context;
  const organization = await organizationOf(visit, context);
  const { email, name } = await readFields({
    email: () => accounts.newMemberEmail(organization.id, visit.form.get("email")),
    name: () => optionalName(visit.form.get("name")),
  });
  // The person is created before the member, who could not be invited again if this failed.
  await people.ensurePerson({ email, name });
  const hasPassword = await people.removeUnverifiedPassword(email);
  const added = { organizationId: organization.id, email, name, role: "owner" } as const;
  await accounts.addMember(added, actorOf(visit));
  const token = hasPassword ? null : await people.passwordLink({ email, isTrusted: true });
  if (!mails.canSend) {
    return linkView(visit, email, token, `/staff/organizations/${organization.id}/`);
  }
  const inviter = visit.signedIn?.person.name ?? "";
  const invitation = { organization: organization.name, inviter };
  await mails.queue(invitationMail(visit.baseAddress, email, invitation, token));
  return done(visit, "invited");
}

export async function revoke(visit: Visit, context: SiteContext): Promise<View> {
  const organization = await organizationOf(visit, context);
  const id = idOf(visit.form.get("key"));
  const place = { organizationId: organization.id, memberId: null };
  if ((await context.keys.keyOf({ ...place, id })) === undefined) throw notFound("key", id);
  await context.keys.revokeKey(id, actorOf(visit));
  return done(visit, "revoked");
}

function organizationOf(visit: Visit, { accounts }: SiteContext): Promise<Organization> {
  return accounts.organization(addressedId(visit));
}

/** The member that the form names; one of another organization is not found. */
async function memberOf(visit: Visit, context: SiteContext): Promise<Member> {
  const organization = await organizationOf(visit, context);
  const id = idOf(visit.form.get("member"));
  const members = await context.accounts.members(organization.id);
  const found = members.find((one) => one.id === id);
  if (found === undefined) throw notFound("member", id);
  return found;
}

function done({ params }: Visit, what: string): View {
  return redirect(`/staff/organizations/${params["id"]}/?done=${what}`);
}
