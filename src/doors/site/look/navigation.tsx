/** @jsxImportSource hono/jsx */
import type { JSX } from "hono/jsx/jsx-runtime";
import { asset } from "../visit/site-path.ts";
import type { Visit } from "../visit/visit.ts";

/** Links to the site's pages that this visitor may see. */
export function Navigation({ visit }: { visit: Visit }): JSX.Element {
  const { words, membership, signedIn } = visit;
  const organizationPages = [
    ["/account/", words.overview],
    ["/account/keys/", words.keys],
    ["/account/webhooks/", words.webhooks],
    ["/account/alerts/", words.alerts],
    ["/account/members/", words.members],
    ["/account/channels/", words.channels, "/account/compare/"],
    ["/account/connect/", words.connect],
  ] as const;
  const links = [
    ...(membership === null ? [] : organizationPages),
    ...(signedIn?.person.isStaff ? ([["/staff/", words.staff]] as const) : []),
    ["/account/profile/", words.profile] as const,
  ];
  return (
    <nav aria-label={words.navigation}>
      <Links visit={visit} links={links} first="/account/" />
    </nav>
  );
}

/** Links to the console's pages, below the site's own navigation. */
export function StaffNavigation({ visit }: { visit: Visit }): JSX.Element {
  const words = visit.words.staffPages;
  const links = [
    ["/staff/", words.summary],
    ["/staff/start/", visit.words.firstSteps.title],
    ["/staff/organizations/", words.organizations],
    ["/staff/plans/", visit.words.plansPage.title],
    ["/staff/people/", words.people],
    ["/staff/webhooks/", words.webhooks],
    ["/staff/imports/", words.imports],
    ["/staff/sources/", visit.words.sourcePages.sources],
    ["/staff/jobs/", words.jobs],
    ["/staff/database/", words.database],
    ["/staff/errors/", words.errors],
    ["/staff/audit/", words.audit],
  ] as const;
  return (
    <nav class="console" aria-label={words.console}>
      <Links visit={visit} links={links} first="/staff/" />
    </nav>
  );
}

/** @param first the page whose path begins those of all others */
function Links({
  visit,
  links,
  first,
}: {
  visit: Visit;
  /** Each with other paths that belong to it. */
  links: readonly (readonly [path: string, label: string, ...more: string[]])[];
  first: string;
}): JSX.Element {
  const [own = ""] = visit.path.split("?");
  const currentOf = (to: string, more: readonly string[]): "page" | "true" | undefined => {
    if (own === to) return "page";
    // The visitor is on a page below that one, such as a single webhook's.
    const isBelow = [to, ...more].some((path) => path !== first && own.startsWith(path));
    return isBelow ? "true" : undefined;
  };
  return (
    <ul>
      {links.map(([path, label, ...more]) => (
        <li>
          <a href={asset(visit, path)} aria-current={currentOf(path, more)}>
            {label}
          </a>
        </li>
      ))}
    </ul>
  );
}
