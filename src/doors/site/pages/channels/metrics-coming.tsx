/** @jsxImportSource hono/jsx */
import type { JSX } from "hono/jsx/jsx-runtime";
import type { PartProps } from "../../site-context.ts";

/** Tells that growth and engagement, which the page lacks, are being computed; null where nothing new is to come. */
export async function MetricsComing({ visit, context }: PartProps): Promise<JSX.Element | null> {
  const behind = await context.jobs.behind();
  // A node's own job has the node in its name.
  if (!behind.some((name) => name === "metrics" || name.startsWith("metrics@"))) return null;
  return (
    <p role="status" class="notice">
      {visit.words.explorerPages.metricsComing}
    </p>
  );
}
