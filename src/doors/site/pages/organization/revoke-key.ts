import type { KeyScope } from "../../../../customers/keys/keys.ts";
import { pageError } from "../../forms/faults.ts";
import { sentNumber } from "../../look/row-actions.tsx";
import type { SiteContext } from "../../site-context.ts";
import { redirect, type View } from "../../visit/view.ts";
import { actorOf, isManager, membershipOf } from "../../visit/viewer.ts";
import type { Visit } from "../../visit/visit.ts";

/** Which keys the visitor may see: managers see all of the organization, others only their own. */
export function visibleKeys(visit: Visit): KeyScope {
  const { member, organization } = membershipOf(visit);
  return { organizationId: organization.id, memberId: isManager(visit) ? null : member.id };
}

/** Revokes the key named in the form. @param path of the page to show afterwards */
export async function revokeKey(visit: Visit, context: SiteContext, path: string): Promise<View> {
  const id = sentNumber(visit, "key");
  if ((await context.keys.keyOf({ ...visibleKeys(visit), id })) === undefined) {
    throw pageError("not_found", visit.words.organizationPages.noSuchKey);
  }
  await context.keys.revokeKey(id, actorOf(visit));
  return redirect(`${path}?done=revoked`);
}
