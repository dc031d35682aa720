import type { Member, Organization } from "../../../../../customers/accounts/accounts.table.ts";
import { notFound } from "../../../../../errors.ts";
import { keys } from "../../../../../verbs/operator/keys.ts";
import { members } from "../../../../../verbs/operator/members.ts";
import { organizations } from "../../../../../verbs/operator/organizations.ts";
import { planRequests } from "../../../../../verbs/operator/plan-requests.ts";
import type { Row } from "../../../../../verbs/operator/resource.ts";
import { backWith, verbAction } from "../../../forms/verb-action.ts";
import { useSite, useVisit } from "../../../visit/use-visit.ts";
import { redirect, type View } from "../../../visit/view.ts";
import { addressedId, idOf } from "../console.tsx";
import { mailInvitation } from "./organizations.tsx";
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
  "add-owner": verbAction(members, "add", {
    given: () => ({ organization: addressedId(), role: "owner" }),
    shows: invited,
  }),
};

/** The new owner gets a mail if a mail server is configured, otherwise a link to pass on. */
async function invited({ email, link }: Row): Promise<View> {
  const { id, name } = await organizationOf();
  const token = link as string | null;
  if (!useSite().mails.canSend)
    return linkView(String(email), token, `/staff/organizations/${id}/`);
  await mailInvitation(String(email), name, token);
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
