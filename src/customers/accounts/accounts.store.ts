import { asc, eq } from "drizzle-orm";
import type { Database, Transaction } from "../../db/database.ts";
import { eqParam, query, queryNow } from "../../db/query.ts";
import {
  type Member,
  members,
  type Organization,
  organizations,
  type Plan,
  plans,
} from "./accounts.table.ts";
import type { PlanCode } from "./plan.ts";

const planByCode = queryNow((db) => db.select().from(plans).where(eqParam(plans.code, "code")));

/** A plan, read in the tick's snapshot or in the caller's transaction. */
export function selectPlanNow(db: Database, code: PlanCode): Plan {
  const plan = planByCode(db).get({ code });
  if (plan === undefined) throw new Error(`the plans table has no row ${code}`);
  return plan;
}

const allPlans = query((db) => db.select().from(plans).orderBy(asc(plans.position)));

export function selectPlans(db: Database): Promise<Plan[]> {
  return allPlans(db).all();
}

export async function updatePlan(
  tx: Transaction,
  code: PlanCode,
  limits: Partial<Omit<Plan, "code">>,
): Promise<void> {
  await tx.builders.update(plans).set(limits).where(eq(plans.code, code));
}

const organizationById = query((db) =>
  db.select().from(organizations).where(eqParam(organizations.id, "id")),
);

export function selectOrganization(db: Database, id: number): Promise<Organization | undefined> {
  return organizationById(db).get({ id });
}

const allOrganizations = query((db) =>
  db.select().from(organizations).orderBy(asc(organizations.id)),
);

export function selectOrganizations(db: Database): Promise<Organization[]> {
  return allOrganizations(db).all();
}

export async function insertOrganization(
  tx: Transaction,
  row: Omit<Organization, "id">,
): Promise<Organization> {
  const [made] = await tx.builders.insert(organizations).values(row).returning();
  return made as Organization;
}

export async function updateOrganization(
  tx: Transaction,
  id: number,
  values: Partial<Omit<Organization, "id">>,
): Promise<void> {
  await tx.builders.update(organizations).set(values).where(eq(organizations.id, id));
}

const memberById = query((db) => db.select().from(members).where(eqParam(members.id, "id")));

export function selectMember(db: Database, id: number): Promise<Member | undefined> {
  return memberById(db).get({ id });
}

const membersByOrganization = query((db) =>
  db
    .select()
    .from(members)
    .where(eqParam(members.organizationId, "organizationId"))
    .orderBy(asc(members.id)),
);

export function selectMembers(db: Database, organizationId: number): Promise<Member[]> {
  return membersByOrganization(db).all({ organizationId });
}

const membershipsByEmail = query((db) =>
  db
    .select({ member: members, organization: organizations })
    .from(members)
    .innerJoin(organizations, eq(organizations.id, members.organizationId))
    .where(eqParam(members.email, "email"))
    .orderBy(asc(members.id)),
);

/** Oldest membership first. */
export function selectMemberships(
  db: Database,
  email: string,
): Promise<{ member: Member; organization: Organization }[]> {
  return membershipsByEmail(db).all({ email });
}

const firstMember = query((db) =>
  db.select({ id: members.id }).from(members).orderBy(asc(members.id)).limit(1),
);

/** The oldest member on the appliance, or null. */
export async function selectFirstMemberId(db: Database): Promise<number | null> {
  return (await firstMember(db).get())?.id ?? null;
}

export async function insertMember(tx: Transaction, row: Omit<Member, "id">): Promise<Member> {
  const [made] = await tx.builders.insert(members).values(row).returning();
  return made as Member;
}

export async function updateMember(
  tx: Transaction,
  id: number,
  values: Partial<Pick<Member, "email" | "name" | "role" | "suspendedAt">>,
): Promise<void> {
  await tx.builders.update(members).set(values).where(eq(members.id, id));
}
