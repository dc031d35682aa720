import { asc, eq, sql } from "drizzle-orm";
import type { Database } from "../../db/database.ts";
import {
  type Member,
  type MemberRole,
  members,
  type Organization,
  organizations,
  type Plan,
  plans,
} from "./accounts.table.ts";
import type { PlanCode } from "./plan.ts";

export function createAccountsStore(db: Database) {
  const planByCode = db
    .select()
    .from(plans)
    .where(eq(plans.code, sql.placeholder("code")))
    .prepare();

  return {
    plan(code: PlanCode): Plan {
      const plan = planByCode.get({ code });
      if (plan === undefined) throw new Error(`the plans table has no row ${code}`);
      return plan;
    },

    changePlan(code: PlanCode, change: Partial<Omit<Plan, "code">>): void {
      db.update(plans).set(change).where(eq(plans.code, code)).run();
    },

    plans(): Plan[] {
      return db.select().from(plans).orderBy(asc(plans.position)).all();
    },

    organization(id: number): Organization | undefined {
      return db.select().from(organizations).where(eq(organizations.id, id)).get();
    },

    organizations(): Organization[] {
      return db.select().from(organizations).orderBy(asc(organizations.id)).all();
    },

    addOrganization(row: Omit<Organization, "id">): Organization {
      return db.insert(organizations).values(row).returning().get();
    },

    changeOrganization(id: number, change: Partial<Omit<Organization, "id">>): void {
      db.update(organizations).set(change).where(eq(organizations.id, id)).run();
    },

    member(id: number): Member | undefined {
      return db.select().from(members).where(eq(members.id, id)).get();
    },

    membersOf(organizationId: number): Member[] {
      return db
        .select()
        .from(members)
        .where(eq(members.organizationId, organizationId))
        .orderBy(asc(members.id))
        .all();
    },

    /** The oldest membership first. */
    placesOf(email: string): { member: Member; organization: Organization }[] {
      return db
        .select({ member: members, organization: organizations })
        .from(members)
        .innerJoin(organizations, eq(organizations.id, members.organizationId))
        .where(eq(members.email, email))
        .orderBy(asc(members.id))
        .all();
    },

    firstMemberId(): number | null {
      const first = db.select({ id: members.id }).from(members).orderBy(asc(members.id)).limit(1);
      return first.get()?.id ?? null;
    },

    addMember(row: Omit<Member, "id">): Member {
      return db.insert(members).values(row).returning().get();
    },

    changeMember(id: number, change: { role?: MemberRole; suspendedAt?: number | null }): void {
      db.update(members).set(change).where(eq(members.id, id)).run();
    },
  };
}
