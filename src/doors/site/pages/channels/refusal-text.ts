import type { AppError } from "../../../../errors.ts";
import { told } from "../../look/shown.tsx";
import { ownPlan } from "../../visit/viewer.ts";

/**
 * Why a page of posts or mentions is refused.
 * @param closed says that a plan does not include them
 */
export async function refusalText(
  error: AppError,
  closed: (plan: string) => string,
): Promise<string> {
  if (error.code === "tariff_required") return closed((await ownPlan()).code);
  return told(error.faults?.["cursor"]?.[0] ?? error.publicMessage);
}
