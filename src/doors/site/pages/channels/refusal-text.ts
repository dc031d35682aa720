import type { AppError } from "../../../../errors.ts";
import { inLanguage } from "../../../../values/messages/messages.ts";
import type { SiteContext } from "../../site-context.ts";
import { planOf } from "../../visit/viewer.ts";
import type { Visit } from "../../visit/visit.ts";

/**
 * Why a page of posts or mentions is refused.
 * @param closed says that a plan does not include them
 */
export async function refusalText(
  error: AppError,
  closed: (plan: string) => string,
  visit: Visit,
  context: SiteContext,
): Promise<string> {
  if (error.code === "tariff_required") return closed((await planOf(visit, context)).code);
  return inLanguage(visit.language, error.faults?.["cursor"]?.[0] ?? error.publicMessage);
}
