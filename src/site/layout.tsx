/** @jsxImportSource hono/jsx */
import type { JSX } from "hono/jsx/jsx-runtime";
import { Form } from "./form.tsx";
import { asset } from "./site-path.ts";
import { StaffNavigation } from "./staff-navigation.tsx";
import type { Visit } from "./visit.ts";
import { LANGUAGES } from "./words/words.ts";

export { asset };

/** The whole document around a page's body. */
export function renderDocument(visit: Visit, title: string, body: JSX.Element): string {
  return `<!doctype html>${(<Document visit={visit} title={title} body={body} />).toString()}`;
}

function Document({
  visit,
  title,
  body,
}: {
  visit: Visit;
  title: string;
  body: JSX.Element;
}): JSX.Element {
  const { words, language } = visit;
  return (
    <html lang={language}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>{`${title} · Kanalog`}</title>
        <link rel="icon" href={asset(visit, "/docs/favicon.png")} />
        <link rel="stylesheet" href={asset(visit, "/account/assets/uplot.css")} />
        <link rel="stylesheet" href={asset(visit, "/account/assets/site.css")} />
        <script src={asset(visit, "/account/assets/uplot.js")} defer />
        <script src={asset(visit, "/account/assets/site.js")} defer />
      </head>
      <body class={visit.signedIn === null ? "outside" : undefined}>
        <a class="skip" href="#content">
          {words.skipToContent}
        </a>
        <header>
          <a class="brand" href={asset(visit, "/account/")}>
            Kanalog
          </a>
          <Organizations visit={visit} />
          <div class="own">
            <Languages visit={visit} />
            {visit.signedIn !== null && <SignOut visit={visit} />}
          </div>
          {visit.signedIn !== null && <Navigation visit={visit} />}
        </header>
        {isStaffPage(visit) && <StaffNavigation visit={visit} />}
        <main id="content">
          <h1>{title}</h1>
          {body}
        </main>
      </body>
    </html>
  );
}

function isStaffPage({ path, signedIn }: Visit): boolean {
  return path.startsWith("/staff/") && signedIn?.person.isStaff === true;
}

function Navigation({ visit }: { visit: Visit }): JSX.Element {
  const { words, membership, signedIn } = visit;
  const organizationPages = [
    ["/account/", words.overview],
    ["/account/keys/", words.keys],
    ["/account/webhooks/", words.webhooks],
    ["/account/members/", words.members],
    ["/account/channels/", words.channels],
    ["/account/connect/", words.connect],
  ] as const;
  const links = [
    ...(membership === null ? [] : organizationPages),
    ...(signedIn?.person.isStaff ? ([["/staff/", words.staff]] as const) : []),
    ["/account/profile/", words.profile] as const,
  ];
  return (
    <nav aria-label={words.navigation}>
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

/** Whose pages are shown, for those who are in several organizations. */
function Organizations({ visit }: { visit: Visit }): JSX.Element | null {
  const { words, membership, memberships } = visit;
  if (memberships.length < 2) return null;
  return (
    <form method="get" action={asset(visit, "/account/organization/")} class="organizations">
      <label for="organization" class="hidden">
        {words.organization}
      </label>
      <select id="organization" name="id">
        {memberships.map(({ organization }) => (
          <option
            value={organization.id}
            selected={organization.id === membership?.organization.id}
          >
            {organization.name}
          </option>
        ))}
      </select>
      <button type="submit">{words.change}</button>
    </form>
  );
}

function SignOut({ visit }: { visit: Visit }): JSX.Element {
  return (
    <Form visit={visit} action="sign-out" to={asset(visit, "/account/sign-in/")}>
      <button type="submit" class="plain">
        {visit.words.signOut}
      </button>
    </Form>
  );
}

/** `true`: a page below that one, such as a single webhook; the console has links of its own. */
function currentOf({ path }: Visit, to: string): "page" | "true" | undefined {
  if (path.split("?")[0] === to) return "page";
  return to !== "/account/" && path.startsWith(to) ? "true" : undefined;
}

const LANGUAGE_NAMES = { en: "English", ru: "Русский" };

function Languages({ visit }: { visit: Visit }): JSX.Element {
  return (
    <p class="languages">
      {LANGUAGES.filter((language) => language !== visit.language).map((language) => {
        const back = encodeURIComponent(visit.request.method === "GET" ? visit.path : "/account/");
        const to = `/account/language/?to=${language}&back=${back}`;
        return (
          <a href={asset(visit, to)} lang={language} hreflang={language}>
            {LANGUAGE_NAMES[language]}
          </a>
        );
      })}
    </p>
  );
}
