/** @jsxImportSource hono/jsx */
import type { JSX } from "hono/jsx/jsx-runtime";
import type { HtmlEscapedString } from "hono/utils/html";
import type { Member } from "../../../../customers/accounts/accounts.table.ts";
import type { Key } from "../../../../customers/keys/keys.table.ts";
import { parseNumber } from "../../../../values/parse-number.ts";
import { ActionButton } from "../../look/action-button.tsx";
import { DataTable } from "../../look/data-table.tsx";
import { DayOf, LastDayBefore } from "../../look/shown.tsx";
import { useSite, useVisit } from "../../visit/use-visit.ts";
import { isManager, ownMembership } from "../../visit/viewer.ts";
import { withQuery } from "../staff/console.tsx";
import { visibleKeys } from "./revoke-key.ts";

type KeyState = "active" | "revoked" | "expired" | "suspended";

interface ListedKey {
  key: Key;
  owner: Member;
  state: KeyState;
  lastUsedAt: number | null;
}

const KEYS_PER_PAGE = 50;

/** Working keys, and below them, folded, keys that will never work again; each list has pages. */
export async function KeyList(): Promise<HtmlEscapedString> {
  const visit = useVisit();
  const words = visit.words.organizationPages;
  const working = await pageOf({ areEnded: false, at: "before" });
  const ended = await pageOf({ areEnded: true, at: "ended-before" });
  const label = isManager() ? words.allKeys : words.yourKeys;
  return (
    <>
      <h2>{label}</h2>
      {working.listed.length === 0 ? (
        <p class="empty">{words.noKeys}</p>
      ) : (
        <KeyTable label={label} page={working} />
      )}
      {ended.listed.length > 0 && (
        <details open={visit.query.has("ended-before")}>
          <summary>{words.oldKeys}</summary>
          <KeyTable label={words.oldKeys} page={ended} />
        </details>
      )}
    </>
  );
}

interface KeyPage {
  listed: ListedKey[];
  /** The next page's address; null on the last page. */
  next: string | null;
}

/** @param at name of the query parameter for the page's start */
async function pageOf({ areEnded, at }: { areEnded: boolean; at: string }): Promise<KeyPage> {
  const visit = useVisit();
  const { nowMs } = visit;
  const before = parseNumber(visit.query.get(at) ?? "");
  // One more than is shown tells whether there is another page.
  const limit = KEYS_PER_PAGE + 1;
  const found = await useSite().keys.newest({
    ...visibleKeys(),
    areEnded,
    nowMs,
    before,
    limit,
  });
  const shown = found.slice(0, KEYS_PER_PAGE);
  const last = shown.at(-1);
  return {
    listed: await listOf(shown),
    next: last === undefined || found.length === shown.length ? null : withQuery({ [at]: last.id }),
  };
}

async function listOf(keys: readonly Key[]): Promise<ListedKey[]> {
  const visit = useVisit();
  const { accounts, services } = useSite();
  const members = await accounts.members(ownMembership().organization.id);
  const owners = new Map(members.map((member) => [member.id, member]));
  return keys.flatMap((key) => {
    const owner = owners.get(key.memberId);
    if (owner === undefined) return [];
    const lastUsedAt = services.keyUse.lastUsedAt(key);
    return [{ key, owner, state: stateOf(key, owner, visit.nowMs), lastUsedAt }];
  });
}

function stateOf({ revokedAt, expiresAt }: Key, owner: Member, nowMs: number): KeyState {
  if (revokedAt !== null) return "revoked";
  if (expiresAt !== null && nowMs >= expiresAt) return "expired";
  return owner.suspendedAt === null ? "active" : "suspended";
}

/** Whether revoking changes anything: of the keys in one table, all or none. */
function canBeRevoked({ state }: ListedKey): boolean {
  return state === "active" || state === "suspended";
}

function KeyTable({
  label,
  page: { listed, next },
}: {
  label: string;
  page: KeyPage;
}): JSX.Element {
  const visit = useVisit();
  const words = visit.words.organizationPages;
  const heads = [
    words.keyName,
    ...(isManager() ? [words.owner] : []),
    words.access,
    words.created,
    words.lastUsed,
    words.expiresAt,
    words.state,
    ...(listed.some(canBeRevoked) ? [words.actions] : []),
  ];
  return (
    <>
      <DataTable label={label} columns={heads}>
        {listed.map((one) => (
          <KeyRow listed={one} />
        ))}
      </DataTable>
      {next !== null && (
        <p>
          <a href={next} rel="next">
            {visit.words.explorerPages.nextPage}
          </a>
        </p>
      )}
    </>
  );
}

function KeyRow({ listed }: { listed: ListedKey }): JSX.Element {
  const words = useVisit().words.organizationPages;
  const { key, owner, state, lastUsedAt } = listed;
  return (
    <tr>
      <th scope="row">
        <bdi>{key.name === "" ? `#${key.id}` : key.name}</bdi>
        <br />
        <small>
          <code>{key.prefix}…</code>
        </small>
      </th>
      {isManager() && (
        <td class="wrapped">
          <bdi>{owner.name || owner.email}</bdi>
        </td>
      )}
      <td>{words.accesses[key.access]}</td>
      <td>
        <DayOf at={key.createdAt} />
      </td>
      <td>{lastUsedAt === null ? words.never : <DayOf at={lastUsedAt} />}</td>
      <td>{key.expiresAt === null ? words.noEnd : <LastDayBefore at={key.expiresAt} />}</td>
      <td>{words.keyStates[state]}</td>
      {canBeRevoked(listed) && (
        <td>
          <ActionButton
            inRow
            action="revoke"
            label={words.revoke}
            fields={{ key: key.id }}
            confirm={words.revokeQuestion}
            danger
          />
        </td>
      )}
    </tr>
  );
}
