import { and, asc, eq, gt, isNull, lte, sql } from "drizzle-orm";
import type { Database, Transaction } from "../../db/database.ts";
import { change, query } from "../../db/statement.ts";
import type { Member, Organization, Plan, PlanRequest } from "./accounts.table.ts";
import { members, organizations, planRequests, plans } from "./accounts.table.ts";
import type { PlanCode } from "./plan.ts";

const planByCode = query((db, { code }: { code: PlanCode }) =>
  db.select().from(plans).where(eq(plans.code, code)),
).one;

/** A plan, read in the tick's snapshot or in the caller's transaction. */
export function selectPlanNow(db: Database, code: PlanCode): Plan {
  const plan = planByCode(db, { code });
  if (plan === undefined) throw new Error(`the plans table has no row ${code}`);
  return plan;
}

/** Whether there is a plan of this code. */
export const hasPlan = (db: Database, code: PlanCode): boolean =>
  planByCode(db, { code }) !== undefined;

export async function insertPlan(tx: Transaction, plan: Plan): Promise<void> {
  await tx.builders.insert(plans).values(plan);
}

export const deletePlan = change((db, { code }: { code: PlanCode }) =>
  db.delete(plans).where(eq(plans.code, code)),
).run;

/** Whether an organization has a plan, also an archived one, or asks for it. */
export function isPlanUsed(db: Database, code: PlanCode): boolean {
  const given = { code };
  return [organizationOn, requestFor].some((one) => one(db, given) !== undefined);
}

const organizationOn = query((db, { code }: { code: PlanCode }) =>
  db
    .select({ id: organizations.id })
    .from(organizations)
    .where(eq(organizations.plan, code))
    .limit(1),
).one;

const requestFor = query((db, { code }: { code: PlanCode }) =>
  db
    .select({ id: planRequests.organizationId })
    .from(planRequests)
    .where(eq(planRequests.plan, code))
    .limit(1),
).one;

export const selectPlans = query((db) => db.select().from(plans).orderBy(asc(plans.position))).all;

export async function updatePlan(
  tx: Transaction,
  code: PlanCode,
  limits: Partial<Omit<Plan, "code">>,
): Promise<void> {
  await tx.builders.update(plans).set(limits).where(eq(plans.code, code));
}

export const selectOrganization = query((db, { id }: { id: number }) =>
  db.select().from(organizations).where(eq(organizations.id, id)),
).one;

export const selectOrganizations = query((db) =>
  db.select().from(organizations).orderBy(asc(organizations.id)),
).all;

/** Organizations, not archived, whose plans end after one instant and until another. */
export const selectPlanEnds = query((db, { after, until }: { after: number; until: number }) =>
  db
    .select()
    .from(organizations)
    .where(
      and(
        isNull(organizations.archivedAt),
        gt(organizations.planEndsAt, after),
        lte(organizations.planEndsAt, until),
      ),
    )
    .orderBy(asc(organizations.planEndsAt), asc(organizations.id)),
).all;

/** A text in the form in which organizations' names are found. */
function searchName(text: string): string {
  return text.trim().toLowerCase();
}

/** Which organizations a list wants: those after a number, whose number or name contains a text. */
export interface OrganizationsPart {
  q: string;
  after: number;
  limit: number;
}

const selectFound = query((db, { q, after, limit }: OrganizationsPart) =>
  db
    .select()
    .from(organizations)
    .where(
      and(
        gt(organizations.id, after),
        sql`instr(${organizations.id} || ' ' || ${organizations.searchName}, ${q}) > 0`,
      ),
    )
    .orderBy(asc(organizations.id))
    .limit(limit),
).all;

export function findOrganizations(db: Database, { q, ...part }: OrganizationsPart): Organization[] {
  return selectFound(db, { ...part, q: searchName(q) });
}

const selectNamed = query((db, { name }: { name: string }) =>
  db
    .select()
    .from(organizations)
    .where(eq(organizations.searchName, name))
    .orderBy(asc(organizations.id)),
).all;

export function organizationsNamed(db: Database, name: string): Organization[] {
  return selectNamed(db, { name: searchName(name) });
}

export async function insertOrganization(
  tx: Transaction,
  row: Omit<Organization, "id" | "searchName">,
): Promise<Organization> {
  const values = { ...row, searchName: searchName(row.name) };
  const [made] = await tx.builders.insert(organizations).values(values).returning();
  return made as Organization;
}

export async function updateOrganization(
  tx: Transaction,
  id: number,
  values: Partial<Omit<Organization, "id" | "searchName">>,
): Promise<void> {
  const { name } = values;
  const named = name === undefined ? values : { ...values, searchName: searchName(name) };
  await tx.builders.update(organizations).set(named).where(eq(organizations.id, id));
}

/** An organization's open request for another plan. */
export const selectPlanRequest = query((db, { organizationId }: { organizationId: number }) =>
  db.select().from(planRequests).where(eq(planRequests.organizationId, organizationId)),
).one;

/** Open requests, by number of the organization. */
export const selectPlanRequests = query((db, { after, limit }: { after: number; limit: number }) =>
  db
    .select()
    .from(planRequests)
    .where(gt(planRequests.organizationId, after))
    .orderBy(asc(planRequests.organizationId))
    .limit(limit),
).all;

export const insertPlanRequest = change(
  (db, { organizationId, plan, note, person, createdAt }: PlanRequest) =>
    db.insert(planRequests).values({ organizationId, plan, note, person, createdAt }),
).run;

export const deletePlanRequest = change((db, { organizationId }: { organizationId: number }) =>
  db.delete(planRequests).where(eq(planRequests.organizationId, organizationId)),
).run;

export const selectMember = query((db, { id }: { id: number }) =>
  db.select().from(members).where(eq(members.id, id)),
).one;

export const selectMembers = query((db, { organizationId }: { organizationId: number }) =>
  db
    .select()
    .from(members)
    .where(eq(members.organizationId, organizationId))
    .orderBy(asc(members.id)),
).all;

/** Oldest membership first. */
export const selectMemberships = query((db, { email }: { email: string }) =>
  db
    .select({ member: members, organization: organizations })
    .from(members)
    .innerJoin(organizations, eq(organizations.id, members.organizationId))
    .where(eq(members.email, email))
    .orderBy(asc(members.id)),
).all;

export const selectFirstMemberId = query((db) =>
  db.select({ id: members.id }).from(members).orderBy(asc(members.id)).limit(1),
).value;

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
