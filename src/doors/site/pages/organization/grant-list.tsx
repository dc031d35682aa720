/** @jsxImportSource hono/jsx */
import { raw } from "hono/html";
import type { HtmlEscapedString } from "hono/utils/html";
import { ActionButton } from "../../look/action-button.tsx";
import { DataTable } from "../../look/data-table.tsx";
import { DayOf, Instant, LastDayBefore } from "../../look/shown.tsx";
import { useSite, useVisit } from "../../visit/use-visit.ts";
import { isManager, ownMembership } from "../../visit/viewer.ts";

/** Assistants that were granted access by signing in; managers see those of all members. */
export async function GrantList(): Promise<HtmlEscapedString> {
  const context = useSite();
  const words = useVisit().words.organizationPages;
  const { member, organization } = ownMembership();
  const all = await context.oauth.grants(organization.id);
  const grants = all.filter(({ key }) => isManager() || key.memberId === member.id);
  const owners = new Map(
    (await context.accounts.members(organization.id)).map((one) => [one.id, one]),
  );
  const heads = [
    ...[words.assistant, words.host, ...(isManager() ? [words.owner] : [])],
    ...[words.created, words.lastUsed, words.expiresAt, words.actions],
  ];
  if (grants.length === 0) return raw("");
  return (
    <>
      <h2>{words.letIn}</h2>
      <DataTable label={words.letIn} columns={heads}>
        {grants.map(({ key, host }) => {
          const owner = owners.get(key.memberId);
          const lastUsedAt = context.services.keyUse.lastUsedAt(key);
          return (
            <tr>
              <th scope="row">
                <bdi>{key.name}</bdi>
              </th>
              <td>{host}</td>
              {isManager() && (
                <td>
                  <bdi>{owner?.name || owner?.email}</bdi>
                </td>
              )}
              <td>
                <DayOf at={key.createdAt} />
              </td>
              <td>{lastUsedAt === null ? words.never : <Instant at={lastUsedAt} />}</td>
              <td>
                <LastDayBefore at={key.expiresAt} />
              </td>
              <td>
                <ActionButton
                  inRow
                  action="revoke"
                  label={words.revoke}
                  description={key.name}
                  fields={{ key: key.id }}
                  confirm={words.revokeGrantQuestion}
                  danger
                />
              </td>
            </tr>
          );
        })}
      </DataTable>
    </>
  );
}
