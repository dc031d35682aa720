/** @jsxImportSource hono/jsx */
import { MEMBER_ROLES } from "../../../../customers/accounts/accounts.table.ts";
import { roleDenial } from "../../../../customers/accounts/member-rules.ts";
import { Done } from "../../look/done.tsx";
import { Form, SelectField, TextField } from "../../look/form.tsx";
import { RowFaults } from "../../look/row-actions.tsx";
import type { SitePage } from "../../site-pages.ts";
import { useVisit } from "../../visit/use-visit.ts";
import { page } from "../../visit/view.ts";
import { isManager, ownMembership } from "../../visit/viewer.ts";
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
    const members = await accounts.members(ownMembership().organization.id);
    const { shown, pager } = paged(members);
    // Faults of rows are shown here, and so are those of a form that the visitor does not see.
    const actions = ["role", "suspend", "restore", "link", ...(isManager() ? [] : ["invite"])];
    return page(
      visit.words.members,
      <>
        <Done words={words.memberDone} />
        <RowFaults actions={actions} />
        <p>{words.membersIntro}</p>
        <MemberList members={shown} canMail={mails.canSend} />
        {pager}
        {isManager() && <Invitation />}
        <p>
          <small>{words.moscowTime}</small>
        </p>
      </>,
    );
  },
  actions: { invite, link: linkAgain, role: changeRole, suspend, restore },
};

function Invitation() {
  const visit = useVisit();
  const words = visit.words.organizationPages;
  const { member } = ownMembership();
  const roles = MEMBER_ROLES.filter((role) => roleDenial(member, role) === null);
  return (
    <>
      <h2>{words.invite}</h2>
      <Form action="invite" submit={words.sendInvitation} words={visit.words}>
        <p>{words.inviteText}</p>
        <TextField name="email" type="email" />
        <TextField name="name" />
        <SelectField name="role" value="member" options={roles} names={visit.words.roles} />
      </Form>
    </>
  );
}
