/** @jsxImportSource hono/jsx */
import type { JSX } from "hono/jsx/jsx-runtime";
import { MEMBER_ROLES } from "../../../../customers/accounts/accounts.table.ts";
import { roleDenial } from "../../../../customers/accounts/member-rules.ts";
import { Done } from "../../look/done.tsx";
import { Form, SelectField, TextField } from "../../look/form.tsx";
import { RowFaults } from "../../look/row-actions.tsx";
import type { SitePage } from "../../site-pages.ts";
import { page } from "../../visit/view.ts";
import { isManager, membershipOf } from "../../visit/viewer.ts";
import type { Visit } from "../../visit/visit.ts";
import { paged } from "../staff/console.tsx";
import { changeRole, restore, suspend } from "./member-changes.ts";
import { invite, linkAgain } from "./member-invitation.tsx";
import { MemberList } from "./member-list.tsx";

/** `/account/members/`: who is in the organization, and what they may do. */
export const membersPage: SitePage = {
  path: "/account/members/",
  access: "member",
  async show(visit, { accounts, mails }) {
    const words = visit.words.organizationPages;
    const members = await accounts.members(membershipOf(visit).organization.id);
    const { shown, pager } = paged(visit, members);
    // Faults of rows are shown here, and so are those of a form that the visitor does not see.
    const actions = ["role", "suspend", "restore", "link", ...(isManager(visit) ? [] : ["invite"])];
    return page(
      visit.words.members,
      <>
        <Done visit={visit} words={words.memberDone} />
        <RowFaults visit={visit} actions={actions} />
        <p>{words.membersIntro}</p>
        <MemberList visit={visit} members={shown} canMail={mails.canSend} />
        {pager}
        {isManager(visit) && <Invitation visit={visit} />}
        <p>
          <small>{words.moscowTime}</small>
        </p>
      </>,
    );
  },
  actions: { invite, link: linkAgain, role: changeRole, suspend, restore },
};

function Invitation({ visit }: { visit: Visit }): JSX.Element {
  const words = visit.words.organizationPages;
  const { member } = membershipOf(visit);
  const field = { visit, action: "invite" };
  const roles = MEMBER_ROLES.filter((role) => roleDenial(member, role) === null);
  return (
    <>
      <h2>{words.invite}</h2>
      <Form visit={visit} action="invite">
        <p>{words.inviteText}</p>
        <TextField {...field} name="email" label={visit.words.email} type="email" />
        <TextField {...field} name="name" label={visit.words.name} />
        <SelectField
          {...field}
          name="role"
          label={visit.words.role}
          value="member"
          options={roles.map((value) => ({ value, label: visit.words.roles[value] }))}
        />
        <button type="submit">{words.sendInvitation}</button>
      </Form>
    </>
  );
}
