/** @jsxImportSource hono/jsx */
import { ROWS_PER_UNIT } from "../../../catalog/exports/paid-parts.ts";
import { exportIncluded } from "../../../verbs/plan-rules.ts";
import { useSite, useVisit } from "../visit/use-visit.ts";
import { ownMembership, viewerOf } from "../visit/viewer.ts";
import { Form } from "./form.tsx";

/**
 * Button that downloads all results as a file, with its cost. A form with a token instead of a link,
 * because it costs units.
 */
export async function DownloadForm({
  rows,
  perThousand,
}: {
  /** Number of results; null if there may be more. */
  rows: number | null;
  /** Price of 1,000 rows, in words. */
  perThousand: string;
}) {
  const visit = useVisit();
  const context = useSite();
  const words = visit.words.mentionPages;
  const viewer = await viewerOf(ownMembership(), context.accounts, visit.nowMs);
  if (exportIncluded(viewer, context.services) !== null) return <small>{words.profiOnly}</small>;
  return (
    <Form action="export" className="row">
      <button type="submit" class="second small">
        {words.downloadAll}
      </button>
      <small>{rows !== null && rows <= ROWS_PER_UNIT ? words.oneUnit : perThousand}</small>
    </Form>
  );
}
