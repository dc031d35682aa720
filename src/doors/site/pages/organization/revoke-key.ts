import type { Key } from "../../../../customers/keys/keys.table.ts";
import { pageError } from "../../forms/faults.ts";
import { sentNumber } from "../../look/row-actions.tsx";
import type { SiteContext } from "../../site-context.ts";
import { redirect, type View } from "../../visit/view.ts";
import { actorOf, isManager, membershipOf } from "../../visit/viewer.ts";
import type { Visit } from "../../visit/visit.ts";

/** All keys of the organization for those who run it, else the visitor's own; newest first. */
export async function keysOf(visit: Visit, { keys }: SiteContext): Promise<Key[]> {
  const { member, organization } = membershipOf(visit);
  const all = await keys.keys(organization.id);
  return all.filter(({ memberId }) => isManager(visit) || memberId === member.id).reverse();
}

/** Revokes the key that the form names. @param path of the page that is shown after it */
export async function revokeKey(visit: Visit, context: SiteContext, path: string): Promise<View> {
  const id = sentNumber(visit, "key");
  const keys = await keysOf(visit, context);
  if (!keys.some((one) => one.id === id)) {
    throw pageError("not_found", visit.words.organizationPages.noSuchKey);
  }
  await context.keys.revokeKey(id, actorOf(visit));
  return redirect(`${path}?done=revoked`);
}
