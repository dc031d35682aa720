import type { Member, MemberRole } from "./accounts.table.ts";

export interface MemberChange {
  role?: MemberRole;
  isSuspended?: boolean;
}

/** Why refused: needs an owner or administrator; needs an owner; concerns oneself; or the last owner. */
export type MemberDenial = "managers_only" | "owners_only" | "yourself" | "last_owner";

/** Why the actor may not give somebody this role; null if they may. */
export function roleDenial(actor: Pick<Member, "role">, role: MemberRole): MemberDenial | null {
  if (actor.role === "member") return "managers_only";
  return role === "owner" && actor.role !== "owner" ? "owners_only" : null;
}

/** Why a change is refused; null if it is allowed. @param all the organization's members */
export function memberDenial(
  actor: Member,
  target: Member,
  { role, isSuspended }: MemberChange,
  all: readonly Member[],
): MemberDenial | null {
  if (actor.suspendedAt !== null) return "managers_only";
  const denial = roleDenial(actor, target.role) ?? roleDenial(actor, role ?? target.role);
  if (denial !== null) return denial;
  if (isSuspended === true && target.id === actor.id) return "yourself";
  const remainsOwner = isSuspended !== true && (role ?? target.role) === "owner";
  const isLast =
    isActiveOwner(target) && !all.some((one) => one.id !== target.id && isActiveOwner(one));
  return isLast && !remainsOwner ? "last_owner" : null;
}

export function isActiveOwner({ role, suspendedAt }: Member): boolean {
  return role === "owner" && suspendedAt === null;
}
