/** @jsxImportSource hono/jsx */
import { ROWS_PER_UNIT } from "../../../catalog/exports/paid-parts.ts";
import { exportIncluded } from "../../../verbs/admission.ts";
import { viewer } from "../visit/viewer.ts";
import { useSite, useVisit } from "../visit/visit.ts";
import { Form } from "./form.tsx";
import { OpeningPlan } from "./opening-plan.tsx";
import { Snippet } from "./shown.tsx";

/** An API request, as a command to paste. */
export function ApiCall({
  label,
  path,
  query = {},
}: {
  label: string;
  /** Path below the appliance's address, such as `/v1/me/`. */
  path: string;
  /** Empty values are omitted. */
  query?: Readonly<Record<string, string>>;
}) {
  const visit = useVisit();
  return <Snippet text={curlOf(visit.ownAddress + path, query)} label={label} />;
}

/** A `curl` command for any POSIX shell, whatever the values contain; the key comes from `$KEY`. */
export function curlOf(address: string, query: Readonly<Record<string, string>>): string {
  const given = Object.entries(query).filter(([, value]) => value !== "");
  const parameters = given.map(([name, value]) => `--data-urlencode ${quoted(`${name}=${value}`)}`);
  const command = `curl ${given.length > 0 ? "-G " : ""}-H "Authorization: Bearer $KEY" ${quoted(address)}`;
  return [command, ...parameters].join(" \\\n  ");
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

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
  const words = useVisit().words.mentionPages;
  if (exportIncluded(await viewer(), useSite().services) !== null) {
    return (
      <p>
        <small>{words.profiOnly}</small>
        <OpeningPlan rule={exportIncluded} />
      </p>
    );
  }
  return (
    <Form action="export" className="row">
      <button type="submit" class="second small">
        {words.downloadAll}
      </button>
      <small>{rows !== null && rows <= ROWS_PER_UNIT ? words.oneUnit : perThousand}</small>
    </Form>
  );
}
