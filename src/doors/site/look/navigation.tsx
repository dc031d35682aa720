/** @jsxImportSource hono/jsx */
import { asset, useVisit } from "../visit/visit.ts";
import icons from "./icons.json" with { type: "json" };

/** Drawings of 24 by 24, by the page that they lead to. */
const ICONS: Readonly<Record<string, string>> = icons;

/** Links to the site's pages that this visitor may see; in the console, to its own pages instead. */
export function Navigation() {
  const { words, membership, signedIn, path } = useVisit();
  if (path.startsWith("/staff/") && signedIn?.person.isStaff === true) return <StaffNavigation />;
  const organizationPages = [
    ["/account/", words.overview],
    ["/account/keys/", words.keys],
    ["/account/webhooks/", words.webhooks],
    ["/account/alerts/", words.alerts],
    ["/account/members/", words.members],
    ["/account/channels/", words.channels, "/account/compare/", "/account/trending/"],
    ["/account/posts/", words.posts],
    ["/account/connect/", words.connect],
  ] as const;
  const links = [
    ...(membership === null ? [] : organizationPages),
    ...(signedIn?.person.isStaff ? ([["/staff/", words.staff]] as const) : []),
    ["/docs/", words.documentation] as const,
    ["/account/profile/", words.profile] as const,
  ];
  return (
    <nav aria-label={words.navigation}>
      <Links links={links} first="/account/" />
    </nav>
  );
}

/** Grouped links to the console's pages, and back to the person's own. */
function StaffNavigation() {
  const visit = useVisit();
  const words = visit.words.staffPages;
  const groups: readonly [label: string, links: readonly PageLink[]][] = [
    [
      words.groups.overview,
      [
        ["/staff/", words.summary],
        ["/staff/start/", visit.words.firstSteps.title],
      ],
    ],
    [
      words.groups.customers,
      [
        ["/staff/organizations/", words.organizations],
        ["/staff/plans/", visit.words.plansPage.title],
        ["/staff/people/", words.people],
        ["/staff/webhooks/", visit.words.webhooks],
      ],
    ],
    [
      words.groups.data,
      [
        ["/staff/channels/", visit.words.channels],
        ["/staff/posts/", visit.words.posts],
        ["/staff/imports/", words.imports],
        ["/staff/sources/", visit.words.sourcePages.sources],
      ],
    ],
    [
      words.groups.system,
      [
        ["/staff/keys/", visit.words.operatorKeysPage.title],
        ["/staff/jobs/", words.jobs],
        ["/staff/database/", words.database],
        ["/staff/errors/", words.errors],
        ["/staff/audit/", words.audit],
      ],
    ],
  ];
  return (
    <nav class="console" aria-label={words.console}>
      {groups.map(([label, links]) => (
        <>
          <h2>{label}</h2>
          <Links links={links} first="/staff/" />
        </>
      ))}
      <Links
        links={[
          ["/staff/guides/", words.guides],
          ["/account/", words.ownAccount],
        ]}
        first="/account/"
      />
    </nav>
  );
}

/** A page's path and label, and further paths that belong to it. */
type PageLink = readonly [path: string, label: string, ...more: string[]];

/** @param first the page whose path is a prefix of all others */
function Links({ links, first }: { links: readonly PageLink[]; first: string }) {
  return (
    <ul>
      {links.map((link) => (
        <li>
          <a href={asset(link[0])} aria-current={currentOf(link, first)}>
            <svg viewBox="0 0 24 24" aria-hidden="true">
              <path d={ICONS[link[0]]} />
            </svg>
            {link[1]}
          </a>
        </li>
      ))}
    </ul>
  );
}

/** Whether the visitor is on a link's page, or on one below it, such as a single webhook's. */
function currentOf([to, , ...more]: PageLink, first: string): "page" | "true" | undefined {
  const { path } = useVisit();
  const [own = ""] = path.split("?");
  if (own === to) return "page";
  const isBelow = [to, ...more].some((one) => one !== first && own.startsWith(one));
  return isBelow ? "true" : undefined;
}
