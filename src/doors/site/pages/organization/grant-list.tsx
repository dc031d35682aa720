/** @jsxImportSource hono/jsx */
import { raw } from "hono/html";
import type { HtmlEscapedString } from "hono/utils/html";
import { ActionButton } from "../../look/action-button.tsx";
import { DataTable } from "../../look/data-table.tsx";
import { withoutForm } from "../../look/row-actions.tsx";
import { DayOf, Instant, LastDayBefore } from "../../look/shown.tsx";
import type { PartProps } from "../../site-context.ts";
import { isManager, membershipOf } from "../../visit/viewer.ts";

/** Assistants that were granted access by signing in; managers see those of all members. */
export async function GrantList({ visit, context }: PartProps): Promise<HtmlEscapedString> {
  const words = visit.words.organizationPages;
  const { member, organization } = membershipOf(visit);
  const all = await context.oauth.grants(organization.id);
  const grants = all.filter(({ key }) => isManager(visit) || key.memberId === member.id);
  const owners = new Map(
    (await context.accounts.members(organization.id)).map((one) => [one.id, one]),
  );
  const heads = [
    ...[words.assistant, words.host, ...(isManager(visit) ? [words.owner] : [])],
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
              {isManager(visit) && (
                <td>
                  <bdi>{owner?.name || owner?.email}</bdi>
                </td>
              )}
              <td>
                <DayOf visit={visit} at={key.createdAt} />
              </td>
              <td>
                {lastUsedAt === null ? words.never : <Instant visit={visit} at={lastUsedAt} />}
              </td>
              <td>
                <LastDayBefore visit={visit} at={key.expiresAt} />
              </td>
              <td>
                <ActionButton
                  visit={withoutForm(visit)}
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
