/** @jsxImportSource hono/jsx */
import { MEMBER_ROLES, type Member } from "../../../../customers/accounts/accounts.table.ts";
import { roleDenial } from "../../../../customers/accounts/member-changes.ts";
import { ActionButton, RoleForm, RowFaults } from "../../look/action-button.tsx";
import { type Column, DataTable } from "../../look/data-table.tsx";
import { Form, SelectField, TextField } from "../../look/form.tsx";
import { Instant } from "../../look/shown.tsx";
import { Done } from "../../look/user-text.tsx";
import type { SitePage } from "../../site-pages.ts";
import { isManager, ownMembership } from "../../visit/viewer.ts";
import { page, useVisit } from "../../visit/visit.ts";
import { paged } from "../staff/console.tsx";
import { changeRole, invite, linkAgain, restore, suspend } from "./member-invitation.tsx";

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

/** Members; administrators also see what they may do with each. */
function MemberList({ members, canMail }: { members: readonly Member[]; canMail: boolean }) {
  const { words: common } = useVisit();
  const words = common.organizationPages;
  const actor = ownMembership().member;
  const roles = MEMBER_ROLES.filter((role) => roleDenial(actor, role) === null);
  const mayChange = ({ role }: Member) => roleDenial(actor, role) === null;
  const actions: Column<Member> = [
    common.actions,
    (member) =>
      mayChange(member) && member.id !== actor.id && <Actions member={member} canMail={canMail} />,
  ];
  return (
    <DataTable
      label={common.members}
      rows={members}
      columns={[
        [
          common.name,
          ({ id, name, email }) => (
            <>
              <bdi>{name || email}</bdi>
              {id === actor.id && ` (${words.you})`}
            </>
          ),
          "row",
        ],
        [common.email, ({ email }) => <bdi>{email}</bdi>, "long"],
        [
          common.role,
          (member) =>
            mayChange(member) ? (
              <RoleForm member={member} roles={roles} />
            ) : (
              common.roles[member.role]
            ),
        ],
        [
          common.state,
          ({ suspendedAt }) =>
            suspendedAt === null ? (
              words.memberStates.active
            ) : (
              <>
                {words.memberStates.suspended}, <Instant at={suspendedAt} />
              </>
            ),
        ],
        ...(isManager() ? [actions] : []),
      ]}
    />
  );
}

function Actions({ member, canMail }: { member: Member; canMail: boolean }) {
  const { organizationPages: words, passwordLink, suspend } = useVisit().words;
  const row = { inRow: true, fields: { member: member.id } };
  if (member.suspendedAt !== null) {
    return (
      <ActionButton
        {...row}
        action="restore"
        label={words.restore}
        confirm={words.restoreQuestion}
      />
    );
  }
  return (
    <>
      <ActionButton
        {...row}
        action="link"
        label={passwordLink}
        confirm={canMail ? words.linkAgainQuestion : words.linkCopyQuestion}
      />
      <ActionButton
        {...row}
        action="suspend"
        label={suspend}
        confirm={words.suspendQuestion}
        danger
      />
    </>
  );
}
