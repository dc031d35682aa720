import { type AppError, toAppError } from "../../../errors.ts";
import { messagePage } from "../pages/message.tsx";
import type { SiteContext } from "../site-context.ts";
import type { SitePage } from "../site-pages.ts";
import type { View } from "../visit/view.ts";
import type { Visit } from "../visit/visit.ts";

/** Shows a form's page again; if its subject no longer exists, only explains why the form failed. */
export async function showOrExplain(
  sitePage: SitePage,
  visit: Visit,
  context: SiteContext,
  error: AppError,
): Promise<View> {
  try {
    return await sitePage.show(visit, context);
  } catch (thrown) {
    if (toAppError(thrown).code !== "not_found") throw thrown;
    return messagePage(visit, error);
  }
}
