/** @jsxImportSource hono/jsx */
import type { JSX } from "hono/jsx/jsx-runtime";
import type { HtmlEscapedString } from "hono/utils/html";
import {
  MEMBER_ROLES,
  type Member,
  type Organization,
} from "../../../../../customers/accounts/accounts.table.ts";
import type { Key } from "../../../../../customers/keys/keys.table.ts";
import { parseNumber } from "../../../../../values/parse-number.ts";
import { ActionButton } from "../../../look/action-button.tsx";
import { DataTable } from "../../../look/data-table.tsx";
import { RoleForm } from "../../../look/role-form.tsx";
import { Instant, LastDayBefore } from "../../../look/shown.tsx";
import { useSite, useVisit } from "../../../visit/use-visit.ts";
import { paged, withQuery } from "../console.tsx";

export function MembersTable({ members }: { members: readonly Member[] }): JSX.Element {
  const visit = useVisit();
  const words = visit.words.staffPages;
  if (members.length === 0) return <p>{words.none}</p>;
  const { shown, pager } = paged(members);
  return (
    <>
      <DataTable
        label={words.members}
        columns={[
          visit.words.email,
          visit.words.name,
          visit.words.role,
          words.state,
          words.actions,
        ]}
      >
        {shown.map((member) => (
          <tr>
            <th scope="row" class="long">
              <bdi>{member.email}</bdi>
            </th>
            <td>
              <bdi>{member.name}</bdi>
            </td>
            <td>
              <RoleForm member={member} roles={MEMBER_ROLES} />
            </td>
            <td>{member.suspendedAt === null ? words.active : words.suspended}</td>
            <td>
              <ActionButton
                inRow
                action={member.suspendedAt === null ? "suspend" : "reinstate"}
                label={member.suspendedAt === null ? words.suspend : words.reinstate}
                description={member.email}
                fields={{ member: member.id }}
                danger={member.suspendedAt === null}
              />
            </td>
          </tr>
        ))}
      </DataTable>
      {pager}
    </>
  );
}

const KEYS_PER_PAGE = 50;

/** An organization's keys in pages, newest first. */
export async function KeysTable({
  organization,
  isReadOnly = false,
}: {
  organization: Organization;
  isReadOnly?: boolean;
}): Promise<HtmlEscapedString> {
  const visit = useVisit();
  const context = useSite();
  const words = visit.words.staffPages;
  const found = await context.keys.newest({
    organizationId: organization.id,
    memberId: null,
    areEnded: null,
    nowMs: visit.nowMs,
    before: parseNumber(visit.query.get("before") ?? ""),
    // Reads one more than it shows, to see whether another page follows.
    limit: KEYS_PER_PAGE + 1,
  });
  const keys = found.slice(0, KEYS_PER_PAGE);
  const last = keys.at(-1);
  if (last === undefined) return <p>{words.none}</p>;
  const members = await context.accounts.members(organization.id);
  const emails = new Map(members.map(({ id, email }) => [id, email]));
  return (
    <>
      <DataTable
        label={words.keys}
        columns={[
          ...[words.key, visit.words.name, words.member, words.access, words.lastUsed],
          ...[words.expires, words.state],
        ]}
      >
        {keys.map((key) => {
          const lastUsedAt = context.services.keyUse.lastUsedAt(key);
          return (
            <tr>
              <th scope="row">
                <code>{key.prefix}…</code>
              </th>
              <td class="long">
                <bdi>{key.name}</bdi>
              </td>
              <td class="long">
                <bdi>{emails.get(key.memberId)}</bdi>
              </td>
              <td>{words.accesses[key.access]}</td>
              <td>{lastUsedAt === null ? words.never : <Instant at={lastUsedAt} />}</td>
              <td>
                <LastDayBefore at={key.expiresAt} />
              </td>
              <td>
                <KeyState of={key} isReadOnly={isReadOnly} />
              </td>
            </tr>
          );
        })}
      </DataTable>
      {found.length > keys.length && (
        <p>
          <a href={withQuery({ before: last.id })}>{words.earlier} →</a>
        </p>
      )}
    </>
  );
}

function KeyState({ of: key, isReadOnly }: { of: Key; isReadOnly: boolean }): JSX.Element {
  const visit = useVisit();
  const words = visit.words.staffPages;
  if (key.revokedAt !== null) return <>{words.revoked}</>;
  if (key.expiresAt !== null && key.expiresAt <= visit.nowMs) return <>{words.expired}</>;
  if (isReadOnly) return <>{words.active}</>;
  return (
    <ActionButton
      inRow
      action="revoke"
      label={words.revoke}
      description={key.prefix}
      fields={{ key: key.id }}
      confirm={words.revokeConfirm}
      danger
    />
  );
}
