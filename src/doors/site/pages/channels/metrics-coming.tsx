/** @jsxImportSource hono/jsx */

import { useSite, useVisit } from "../../visit/use-visit.ts";

/** Says that missing growth and engagement are being computed; null if no update is pending. */
export async function MetricsComing() {
  const visit = useVisit();
  const awaited = await useSite().jobs.dueAfterImport();
  // On a node, the job's name includes the node's.
  if (!awaited.some((name) => name === "metrics" || name.startsWith("metrics@"))) return null;
  return (
    <p role="status" class="notice">
      {visit.words.explorerPages.metricsComing}
    </p>
  );
}
