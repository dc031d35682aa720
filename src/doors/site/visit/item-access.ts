import { notFound } from "../../../errors.ts";
import type { OwnItem } from "../../../push/webhooks/manage/own-item.ts";
import { parseNumber } from "../../../values/parse-number.ts";
import type { PlanRule } from "../../../verbs/plan-rules.ts";
import { pageError } from "../forms/faults.ts";
import type { SiteContext } from "../site-context.ts";
import { isManager, membershipOf, planOf, viewerOf } from "./viewer.ts";
import type { Visit } from "./visit.ts";

/** Things, such as webhooks, that an organization has by its plan and that its managers change. */
interface Items<Item> {
  name: "alert" | "webhook";
  /** Whether the plan includes them. */
  included: PlanRule;
  /** Whether the plan includes them, or some are left from a plan that did. */
  includedOrKept: PlanRule;
  wordsOf(visit: Visit): { managersOnly: string; planWithout(plan: string): string };
  get(own: OwnItem, context: SiteContext): Promise<Item>;
}

/** Who may do what with such things on pages: the rules of the API's methods. */
export function accessTo<Item>({ name, included, includedOrKept, wordsOf, get }: Items<Item>) {
  async function allows(rule: PlanRule, visit: Visit, context: SiteContext): Promise<boolean> {
    const viewer = await viewerOf(membershipOf(visit), context.accounts, visit.nowMs);
    return rule(viewer, context.services) === null;
  }

  const areIncluded = (visit: Visit, context: SiteContext): Promise<boolean> =>
    allows(included, visit, context);

  /** Identifies the item that the address names. @throws AppError `not_found` */
  function ownOf(visit: Visit): OwnItem {
    const id = parseNumber(visit.params["id"] ?? "");
    if (id === null) throw notFound(name);
    return { organizationId: membershipOf(visit).organization.id, id };
  }

  return {
    areIncluded,
    ownOf,

    /** @throws AppError `manager_required` */
    requireManager(visit: Visit): void {
      if (!isManager(visit)) throw pageError("manager_required", wordsOf(visit).managersOnly);
    },

    /** @throws AppError `tariff_required` */
    async requireIncluded(visit: Visit, context: SiteContext): Promise<void> {
      if (await areIncluded(visit, context)) return;
      const { code } = await planOf(visit, context);
      throw pageError("tariff_required", wordsOf(visit).planWithout(code));
    },

    /** @throws AppError `not_found` */
    async itemOf(visit: Visit, context: SiteContext): Promise<Item> {
      const own = ownOf(visit);
      if (!(await allows(includedOrKept, visit, context))) throw notFound(name);
      return get(own, context);
    },
  };
}
