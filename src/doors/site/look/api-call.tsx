/** @jsxImportSource hono/jsx */
import { useVisit } from "../visit/use-visit.ts";
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
