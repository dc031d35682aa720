import type { Member, Organization } from "../../../../../customers/accounts/accounts.table.ts";
import { optionalName } from "../../../../../customers/accounts/accounts.ts";
import { notFound } from "../../../../../errors.ts";
import { keys } from "../../../../../verbs/operator/keys.ts";
import { members } from "../../../../../verbs/operator/members.ts";
import { organizations } from "../../../../../verbs/operator/organizations.ts";
import { planRequests } from "../../../../../verbs/operator/plan-requests.ts";
import { readFields } from "../../../forms/faults.ts";
import { backWith, verbAction } from "../../../forms/verb-action.ts";
import { invitationMail } from "../../../mail-texts.ts";
import { useSite, useVisit } from "../../../visit/use-visit.ts";
import { redirect, type View } from "../../../visit/view.ts";
import { currentActor } from "../../../visit/viewer.ts";
import { addressedId, idOf } from "../console.tsx";
import { linkView } from "./seen.tsx";

/** Staff's changes to an organization, each of which is recorded. */
const ofMember = { of: async () => (await memberOf()).id };

export const organizationActions = {
  plan: verbAction(organizations, "plan", {
    shows: ({ plan_ends_at: ends }) =>
      ends === null ? done("planned-without-end") : backWith("organization.plan"),
  }),
  "close-request": verbAction(planRequests, "close", {
    shows: () => backWith("organization.close-request"),
  }),
  archive: verbAction(organizations, "archive"),
  restore: verbAction(organizations, "restore"),
  role: verbAction(members, "role", ofMember),
  suspend: verbAction(members, "suspend", ofMember),
  reinstate: verbAction(members, "restore", ofMember),
  revoke: verbAction(keys, "revoke", { of: keyOf }),
  "add-owner": addOwner,
};

/** Invites an owner: by mail if a mail server is configured, otherwise with a link to pass on. */
async function addOwner(): Promise<View> {
  const visit = useVisit();
  const { accounts, people, mails } = useSite();
  const organization = await organizationOf();
  const { email, name } = await readFields({
    email: () => accounts.newMemberEmail(organization.id, visit.form.get("email")),
    name: () => optionalName(visit.form.get("name")),
  });
  // The person is created before the member, who could not be invited again if this failed.
  await people.ensurePerson({ email, name });
  const hasPassword = await people.removeUnverifiedPassword(email);
  const added = { organizationId: organization.id, email, name, role: "owner" } as const;
  await accounts.addMember(added, currentActor());
  const token = hasPassword ? null : await people.passwordLink({ email, isTrusted: true });
  if (!mails.canSend) {
    return linkView(email, token, `/staff/organizations/${organization.id}/`);
  }
  const inviter = visit.signedIn?.person.name ?? "";
  const invitation = { organization: organization.name, inviter };
  await mails.queue(invitationMail(visit.baseAddress, email, invitation, token));
  return done("invited");
}

/** The key that the form names; one of another organization is not found. */
async function keyOf(): Promise<number> {
  const context = useSite();
  const organization = await organizationOf();
  const id = idOf(useVisit().form.get("key"));
  const place = { organizationId: organization.id, memberId: null };
  if ((await context.keys.keyOf({ ...place, id })) === undefined) throw notFound("key", id);
  return id;
}

function organizationOf(): Promise<Organization> {
  const { accounts } = useSite();
  return accounts.organization(addressedId());
}

/** The member that the form names; one of another organization is not found. */
async function memberOf(): Promise<Member> {
  const organization = await organizationOf();
  const id = idOf(useVisit().form.get("member"));
  const members = await useSite().accounts.members(organization.id);
  const found = members.find((one) => one.id === id);
  if (found === undefined) throw notFound("member", id);
  return found;
}

function done(what: string): View {
  const { params } = useVisit();
  return redirect(`/staff/organizations/${params["id"]}/?done=${what}`);
}
