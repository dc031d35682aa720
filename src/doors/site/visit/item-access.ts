import { notFound } from "../../../errors.ts";
import type { OwnItem } from "../../../push/webhooks/manage/webhook-views.ts";
import { parseNumber } from "../../../values/fields.ts";
import type { PlanRule } from "../../../verbs/plan-rules.ts";
import { pageError } from "../forms/faults.ts";
import type { SiteContext } from "../site-context.ts";
import { useSite, useVisit } from "./use-visit.ts";
import { isManager, ownMembership, ownPlan, viewer } from "./viewer.ts";
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
  const allows = async (rule: PlanRule): Promise<boolean> =>
    rule(await viewer(), useSite().services) === null;

  const areIncluded = (): Promise<boolean> => allows(included);

  /** Identifies the item that the address names. @throws AppError `not_found` */
  function ownOf(): OwnItem {
    const id = parseNumber(useVisit().params["id"] ?? "");
    if (id === null) throw notFound(name);
    return { organizationId: ownMembership().organization.id, id };
  }

  return {
    areIncluded,
    ownOf,

    /** @throws AppError `manager_required` */
    requireManager(): void {
      if (!isManager()) throw pageError("manager_required", wordsOf(useVisit()).managersOnly);
    },

    /** @throws AppError `tariff_required` */
    async requireIncluded(): Promise<void> {
      if (await areIncluded()) return;
      const { code } = await ownPlan();
      throw pageError("tariff_required", wordsOf(useVisit()).planWithout(code));
    },

    /** @throws AppError `not_found` */
    async itemOf(): Promise<Item> {
      const own = ownOf();
      if (!(await allows(includedOrKept))) throw notFound(name);
      return get(own, useSite());
    },
  };
}
