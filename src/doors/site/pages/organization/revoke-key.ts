import type { KeyScope } from "../../../../customers/keys/keys.ts";
import { pageError } from "../../forms/faults.ts";
import { sentNumber } from "../../look/action-button.tsx";
import { useSite, useVisit } from "../../visit/use-visit.ts";
import { redirect, type View } from "../../visit/view.ts";
import { currentActor, isManager, ownMembership } from "../../visit/viewer.ts";

/** Which keys the visitor may see: managers see all of the organization, others only their own. */
export function visibleKeys(): KeyScope {
  const { member, organization } = ownMembership();
  return { organizationId: organization.id, memberId: isManager() ? null : member.id };
}

/** Revokes the key named in the form. @param path of the page to show afterwards */
export async function revokeKey(path: string): Promise<View> {
  const visit = useVisit();
  const context = useSite();
  const id = sentNumber("key");
  if ((await context.keys.keyOf({ ...visibleKeys(), id })) === undefined) {
    throw pageError("not_found", visit.words.organizationPages.noSuchKey);
  }
  await context.keys.revokeKey(id, currentActor());
  return redirect(`${path}?done=revoked`);
}
