/** @jsxImportSource hono/jsx */
import { raw } from "hono/html";
import type { JSX } from "hono/jsx/jsx-runtime";
import { LANGUAGES } from "../../../values/language.ts";
import { WORDS } from "../../../words/words.ts";
import { asset } from "../visit/site-path.ts";
import type { PageView } from "../visit/view.ts";
import type { Visit } from "../visit/visit.ts";
import { Form } from "./form.tsx";
import { Navigation, StaffNavigation } from "./navigation.tsx";
import { SampleNotice } from "./sample-notice.tsx";
import { withoutUnshown } from "./unshown.ts";

/**
 * Values of fields are kept intact, because what was typed is sent again as it is. No other attribute is
 * named `value`, and quotes in text are escaped.
 */
const VALUE = /(\bvalue="[^"]*")/;

/**
 * The complete document around a page's body, without characters in other people's text that would mislead
 * its reader.
 */
export async function renderDocument(visit: Visit, view: PageView): Promise<string> {
  const body = await view.body.toString();
  const html = await (<Document visit={visit} view={view} body={body} />).toString();
  const parts = html.split(VALUE).map((part, at) => (at % 2 === 1 ? part : withoutUnshown(part)));
  return `<!doctype html>${parts.join("")}`;
}

function Document({
  visit,
  view: { title, heading },
  body,
}: {
  visit: Visit;
  view: PageView;
  /** HTML. */
  body: string;
}): JSX.Element {
  const { words, language } = visit;
  // Loaded only when needed: the chart library is as heavy as the rest of a page.
  const hasChart = body.includes("data-chart=");
  return (
    <html lang={language}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>{`${title} · ${visit.brand}`}</title>
        <link rel="icon" href={asset(visit, "/account/assets/mark")} />
        {hasChart && <link rel="stylesheet" href={asset(visit, "/account/assets/uplot.css")} />}
        <link rel="stylesheet" href={asset(visit, "/account/assets/frame.css")} />
        <link rel="stylesheet" href={asset(visit, "/account/assets/site.css")} />
        {hasChart && <script src={asset(visit, "/account/assets/uplot.js")} defer />}
        <script src={asset(visit, "/account/assets/site.js")} defer />
      </head>
      <body class={visit.signedIn === null ? "outside" : undefined} data-locale={words.locale}>
        <a class="skip" href="#content">
          {words.skipToContent}
        </a>
        <header>
          <a class="brand" href={asset(visit, "/account/")}>
            <span>{visit.brand}</span>
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
          {heading ?? <h1>{title}</h1>}
          {visit.notice !== null && (
            <p class="notice" role="alert">
              {visit.notice}
            </p>
          )}
          <SampleNotice visit={visit} />
          {raw(body)}
        </main>
      </body>
    </html>
  );
}

function isStaffPage({ path, signedIn }: Visit): boolean {
  return path.startsWith("/staff/") && signedIn?.person.isStaff === true;
}

/** Lets members of several organizations choose whose pages they see. */
function Organizations({ visit }: { visit: Visit }): JSX.Element | null {
  const { words, membership, memberships } = visit;
  if (memberships.length < 2) return null;
  return (
    <Form
      visit={visit}
      action="switch-organization"
      to={asset(visit, "/account/")}
      className="organizations"
    >
      <label for="organization" class="hidden">
        {words.organization}
      </label>
      <select id="organization" name="organization">
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
    </Form>
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

function Languages({ visit }: { visit: Visit }): JSX.Element {
  return (
    <p class="languages">
      {LANGUAGES.filter((language) => language !== visit.language).map((language) => {
        const back = encodeURIComponent(visit.request.method === "GET" ? visit.path : "/account/");
        const to = `/account/language/?to=${language}&back=${back}`;
        return (
          <a href={asset(visit, to)} lang={language} hreflang={language}>
            {WORDS[language].languageName}
          </a>
        );
      })}
    </p>
  );
}
