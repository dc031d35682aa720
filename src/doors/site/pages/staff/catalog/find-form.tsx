/** @jsxImportSource hono/jsx */

import { useVisit } from "../../../visit/use-visit.ts";
import { asset } from "../../../visit/view.ts";

/** The form for finding channels and posts, with what is wrong with its text. */
export function FindForm({
  label,
  fault,
}: {
  label: string;
  /** Null if nothing is wrong. */
  fault: string | null;
}) {
  const visit = useVisit();
  return (
    <search>
      <form method="get" action={asset(visit.path.split("?")[0] ?? "")} class="inline">
        <label for="q">{label}</label>
        <input
          type="search"
          id="q"
          name="q"
          value={visit.query.get("q") ?? ""}
          aria-invalid={fault === null ? undefined : "true"}
          aria-describedby={fault === null ? undefined : "q-fault"}
        />
        <button type="submit">{visit.words.staffPages.find}</button>
        {fault !== null && (
          <strong class="fault" id="q-fault">
            {fault}
          </strong>
        )}
      </form>
    </search>
  );
}
