import { MEMBER_ROLES, type Member } from "../../../customers/accounts/accounts.table.ts";
import { optionalName, requiredEmail } from "../../../customers/accounts/accounts.ts";
import { isActiveOwner } from "../../../customers/accounts/member-changes.ts";
import { message } from "../../../values/messages/messages.ts";
import * as shape from "../../../values/schema.ts";
import { checkedText, choice, required, withDefault } from "../../parameters.ts";
import type { OperatorServices, Row, Use } from "../resource.ts";
import { findNamed, inPart, list, reference, resource, verb } from "../resource.ts";
import { organizations, withAccount } from "./organizations.ts";

const role = required(choice(MEMBER_ROLES, "Their role."));
const organization = reference(organizations, "The organization's number.");

const fields = {
  id: shape.integer("Number of the member"),
  organization: shape.property("organizationId", shape.integer("Number of the organization")),
  email: shape.text(),
  name: shape.text(),
  role: shape.choice(MEMBER_ROLES, "What they may do"),
  created_at: shape.optionalInstant("When they were added"),
  suspended_at: shape.optionalInstant("When they were suspended; null: they are not"),
};
export const memberRows = shape.rows("Member", fields);
const newMemberRows = shape.rows("NewMember", {
  ...fields,
  link: shape.nullable(shape.text("Where they choose a password; null if they have one")),
});

export const members = resource({
  name: "member",
  area: "customers",
  title: "members of organizations",
  schema: memberRows.schema,
  hint: "their number or e-mail address",
  find: findMember,
  verbs: [
    verb({
      name: "add",
      on: "none",
      title: "add a member to an organization",
      args: {
        organization,
        email: required(
          checkedText("Their address.", { example: "ada@example.com" }, requiredEmail),
        ),
        name: withDefault(checkedText("Their name.", { example: "Ada" }, optionalName), ""),
        role,
      },
      positional: ["organization"],
      result: newMemberRows.schema,
      async run({ organization: organizationId, ...given }, use) {
        const { accounts } = use.services;
        // Before anything is made for them.
        await accounts.organization(organizationId);
        await accounts.newMemberEmail(organizationId, given.email);
        const added = { organizationId, ...given };
        const { made, link } = await withAccount(given, use, () =>
          accounts.addMember(added, use.by),
        );
        return newMemberRows.row({ ...made, link });
      },
    }),
    list({
      title: "list the members of an organization",
      args: { organization },
      positional: ["organization"],
      run: async ({ organization }, { services, part }) =>
        inPart(await services.accounts.members(organization), part).map(memberRows.row),
    }),
    verb({
      name: "role",
      title: "change a member's role",
      args: { role },
      positional: ["role"],
      run: ({ role }, use) => changed(use, use.services.accounts.changeRole(use.id, role, use.by)),
    }),
    verb({
      name: "suspend",
      title: "suspend a member: their keys stop working",
      run: (_args, use) => changed(use, use.services.accounts.suspendMember(use.id, use.by)),
    }),
    verb({
      name: "restore",
      title: "end a member's suspension",
      run: (_args, use) => changed(use, use.services.accounts.reinstateMember(use.id, use.by)),
    }),
  ],
});

/** Only owners can make owners, so an organization that has lost its last one needs the operator. */
async function changed({ services, note }: Use, change: Promise<Member>): Promise<Row> {
  const made = await change;
  const all = await services.accounts.members(made.organizationId);
  if (!all.some(isActiveOwner)) note(message("organizationOwnerless"));
  return memberRows.row(made);
}

function findMember(text: string, { accounts }: OperatorServices): Promise<number> {
  const named = async (email: string) =>
    (await accounts.allMembershipsOf(email)).map(({ member, organization }) => {
      return { id: member.id, name: organization.name };
    });
  return findNamed("member", text, named, ({ name }) => `of ${name}`);
}
