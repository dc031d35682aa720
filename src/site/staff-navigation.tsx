/** @jsxImportSource hono/jsx */
import type { JSX } from "hono/jsx/jsx-runtime";
import { asset } from "./site-path.ts";
import type { Visit } from "./visit.ts";
import { staffWords } from "./words/staff.ts";

/** The console's pages, below the site's own navigation. */
export function StaffNavigation({ visit }: { visit: Visit }): JSX.Element {
  const words = staffWords[visit.language];
  const links = [
    ["/staff/", words.summary],
    ["/staff/organizations/", words.organizations],
    ["/staff/people/", words.people],
    ["/staff/webhooks/", words.webhooks],
    ["/staff/imports/", words.imports],
    ["/staff/jobs/", words.jobs],
    ["/staff/database/", words.database],
    ["/staff/errors/", words.errors],
    ["/staff/audit/", words.audit],
  ] as const;
  return (
    <nav class="console" aria-label={words.console}>
      <ul>
        {links.map(([path, label]) => (
          <li>
            <a href={asset(visit, path)} aria-current={currentOf(visit, path)}>
              {label}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

/** `true`: a page below that one, such as a single organization. */
function currentOf({ path }: Visit, to: string): "page" | "true" | undefined {
  const [own = ""] = path.split("?");
  if (own === to) return "page";
  return to !== "/staff/" && own.startsWith(to) ? "true" : undefined;
}
