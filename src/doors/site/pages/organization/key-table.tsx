/** @jsxImportSource hono/jsx */
import type { Child } from "hono/jsx";
import type { Key } from "../../../../customers/keys/keys.store.ts";
import type { KeyScope } from "../../../../customers/keys/keys.ts";
import { parseNumber } from "../../../../values/fields.ts";
import { pageError } from "../../forms/faults.ts";
import { ActionButton, sentNumber } from "../../look/action-button.tsx";
import { type Column, DataTable } from "../../look/data-table.tsx";
import { DayOf, Instant, LastDayBefore } from "../../look/shown.tsx";
import { currentActor, isManager, ownMembership } from "../../visit/viewer.ts";
import { redirect, useSite, useVisit, type View } from "../../visit/visit.ts";
import { withQuery } from "../staff/console.tsx";

type AnyKey = Pick<Key, "id" | "name" | "prefix" | "createdAt" | "expiresAt" | "revokedAt">;

interface KeyTableProps<Shown extends AnyKey> {
  label: string;
  keys: readonly Shown[];
  /** Whose they are; left out if all belong to the same. */
  ownerOf?: ((key: Shown) => Child) | undefined;
  isSuspended?: (key: Shown) => boolean;
  accessOf: (key: Shown) => Child;
  /** Left out if it is not recorded. */
  lastUsedAt?: (key: Shown) => number | null;
  isReadOnly?: boolean;
}

/** Keys of customers or of the operator, each with a button that revokes it. */
export function KeyTable<Shown extends AnyKey>({
  label,
  keys,
  ownerOf,
  isSuspended = () => false,
  accessOf,
  lastUsedAt,
  isReadOnly = false,
}: KeyTableProps<Shown>) {
  const { nowMs, words: common } = useVisit();
  const words = common.organizationPages;
  const stateOf = (key: Shown) => {
    if (key.revokedAt !== null) return "revoked";
    if (key.expiresAt !== null && nowMs >= key.expiresAt) return "expired";
    return isSuspended(key) ? "suspended" : "active";
  };
  const canBeRevoked = (key: Shown) => ["active", "suspended"].includes(stateOf(key));
  const dates: Column<Shown>[] = [
    [words.created, ({ createdAt }) => <DayOf at={createdAt} />],
    [words.expiresAt, ({ expiresAt }) => <LastDayBefore at={expiresAt} none={words.noEnd} />],
  ];
  if (lastUsedAt !== undefined) {
    const used = (key: Shown) => {
      const at = lastUsedAt(key);
      return <Instant at={at} none={common.never} />;
    };
    dates.splice(1, 0, [words.lastUsed, used]);
  }
  const revoke = ({ id, prefix }: Shown) => (
    <ActionButton
      inRow
      action="revoke"
      label={words.revoke}
      description={prefix}
      fields={{ key: id }}
      confirm={words.revokeQuestion}
      danger
    />
  );
  const columns: Column<Shown>[] = [
    [
      words.keyName,
      ({ id, name, prefix }) => (
        <>
          <bdi>{name === "" ? `#${id}` : name}</bdi>
          <br />
          <small>
            <code>{prefix}…</code>
          </small>
        </>
      ),
      "row",
    ],
    [words.access, accessOf],
    ...dates,
    [common.state, (key) => words.keyStates[stateOf(key)]],
  ];
  if (ownerOf !== undefined) {
    columns.splice(1, 0, [words.owner, (key) => <bdi>{ownerOf(key)}</bdi>, "wrapped"]);
  }
  if (!isReadOnly && keys.some(canBeRevoked)) {
    columns.push([common.actions, (key) => canBeRevoked(key) && revoke(key)]);
  }
  return <DataTable label={label} rows={keys} columns={columns} />;
}

const KEYS_PER_PAGE = 50;

interface PageOfKeys {
  organizationId: number;
  /** Null for all members. */
  memberId: number | null;
  /** Whether they will never work again; null for both kinds. */
  areEnded: boolean | null;
  /** Name of the query parameter for the page's start. */
  at: string;
}

/** A page of an organization's keys, newest first; null if there are none. */
export async function keysTable(
  label: string,
  { organizationId, memberId, areEnded, at }: PageOfKeys,
  isReadOnly = false,
) {
  const { query, nowMs, words } = useVisit();
  const { keys, accounts, services } = useSite();
  const found = await keys.newest({
    organizationId,
    memberId,
    areEnded,
    nowMs,
    before: parseNumber(query.get(at) ?? ""),
    // Reads one more than it shows, to see whether another page follows.
    limit: KEYS_PER_PAGE + 1,
  });
  const shown = found.slice(0, KEYS_PER_PAGE);
  const last = shown.at(-1);
  if (last === undefined) return null;
  const members = new Map(
    (await accounts.members(organizationId)).map((member) => [member.id, member]),
  );
  const ownerOf = ({ memberId }: Key) =>
    members.get(memberId)?.name || members.get(memberId)?.email;
  return (
    <>
      <KeyTable
        label={label}
        keys={shown}
        ownerOf={memberId === null ? ownerOf : undefined}
        isSuspended={({ memberId }) => members.get(memberId)?.suspendedAt != null}
        accessOf={({ access }) => words.organizationPages.accesses[access]}
        lastUsedAt={services.keyUse.lastUsedAt}
        isReadOnly={isReadOnly}
      />
      {found.length > shown.length && (
        <p>
          <a href={withQuery({ [at]: last.id })} rel="next">
            {words.explorerPages.nextPage}
          </a>
        </p>
      )}
    </>
  );
}

/** Which keys the visitor may see: managers see all of the organization, others only their own. */
export function visibleKeys(): KeyScope {
  const { member, organization } = ownMembership();
  return { organizationId: organization.id, memberId: isManager() ? null : member.id };
}

/** Revokes the key named in the form. @param path of the page to show afterwards */
export async function revokeKey(path: string): Promise<View> {
  const context = useSite();
  const id = sentNumber("key");
  if ((await context.keys.keyOf({ ...visibleKeys(), id })) === undefined) {
    throw pageError("not_found", useVisit().words.organizationPages.noSuchKey);
  }
  await context.keys.revokeKey(id, currentActor());
  return redirect(`${path}?done=revoked`);
}
