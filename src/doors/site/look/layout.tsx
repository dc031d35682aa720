/** @jsxImportSource hono/jsx */
import { raw } from "hono/html";
import { LANGUAGES } from "../../../values/messages/messages.ts";
import { WORDS } from "../../../words/words.ts";
import { asset, type PageView, useSite, useVisit } from "../visit/visit.ts";
import { Form } from "./form.tsx";
import { Navigation } from "./navigation.tsx";
import { withoutUnshown } from "./shown.tsx";
import { LegalLinks } from "./user-text.tsx";

/**
 * Values of fields are kept intact, because what was typed is sent again as it is. No other attribute is
 * named `value`, and quotes in text are escaped.
 */
const VALUE = /(\bvalue="[^"]*")/;

/**
 * The complete document around a page's body, without characters in other people's text that would mislead
 * its reader.
 */
export async function renderDocument(view: PageView): Promise<string> {
  const body = await view.body.toString();
  const html = await (<Document view={view} body={body} />).toString();
  const parts = html.split(VALUE).map((part, at) => (at % 2 === 1 ? part : withoutUnshown(part)));
  return `<!doctype html>${parts.join("")}`;
}

function Document({
  view: { title, heading },
  body,
}: {
  view: PageView;
  /** HTML. */
  body: string;
}) {
  const visit = useVisit();
  const { words, language } = visit;
  // Loaded only when needed: the chart library is as heavy as the rest of a page.
  const hasChart = body.includes("data-chart=");
  return (
    <html lang={language}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>{`${title} · ${visit.brand}`}</title>
        <link rel="icon" href={asset("/account/assets/mark")} />
        {hasChart && <link rel="stylesheet" href={asset("/account/assets/uplot.css")} />}
        <link rel="stylesheet" href={asset("/account/assets/frame.css")} />
        <link rel="stylesheet" href={asset("/account/assets/site.css")} />
        {hasChart && <script src={asset("/account/assets/uplot.js")} defer />}
        <script src={asset("/account/assets/site.js")} defer />
      </head>
      <body class={visit.signedIn === null ? "outside" : undefined} data-locale={words.locale}>
        <a class="skip" href="#content">
          {words.skipToContent}
        </a>
        <header>
          <a class="brand" href={asset("/account/")}>
            <span>{visit.brand}</span>
          </a>
          <Organizations />
          <div class="own">
            <Languages />
            {visit.signedIn !== null && <SignOut />}
          </div>
          {visit.signedIn !== null && <Navigation />}
        </header>
        <main id="content">
          {heading ?? <h1>{title}</h1>}
          {visit.notice !== null && (
            <p class="notice" role="alert">
              {visit.notice}
            </p>
          )}
          <SampleNotice />
          {raw(body)}
          <Imprint />
        </main>
      </body>
    </html>
  );
}

/** The operator's contact and legal pages, if there are any. */
function Imprint() {
  const { words } = useVisit();
  const { contact, legal } = useSite().config;
  if (contact === null && legal.length === 0) return null;
  return (
    <p class="imprint">
      <LegalLinks {...{ contact, legal }} label={words.startPage.contact} />
    </p>
  );
}

/** Lets members of several organizations choose whose pages they see. */
function Organizations() {
  const { words, membership, memberships } = useVisit();
  if (memberships.length < 2) return null;
  return (
    <Form action="switch-organization" to={asset("/account/")} className="organizations">
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

function SignOut() {
  return (
    <Form action="sign-out" to={asset("/account/sign-in/")}>
      <button type="submit" class="plain">
        {useVisit().words.signOut}
      </button>
    </Form>
  );
}

/** A form, because the choice is remembered: an address that others link to must change nothing. */
function Languages() {
  const { language, request, path } = useVisit();
  return (
    <Form action="choose-language" to={asset("/account/language/")} showsFaults={false}>
      <input type="hidden" name="back" value={request.method === "GET" ? path : "/account/"} />
      {LANGUAGES.filter((one) => one !== language).map((one) => (
        <button type="submit" name="to" value={one} lang={one} class="plain">
          {WORDS[one].languageName}
        </button>
      ))}
    </Form>
  );
}

/** Pages that show channels, or let one choose some. */
const PAGES_WITH_CHANNELS =
  /^\/(?:account\/(?:channels|trending|compare|posts|alerts|webhooks)|staff\/(?:channels|posts))\//;
const ONE_CHANNEL = /^\/(?:account|staff)\/channels\/(\d+)\/$/;

/** Marks sample channels as such, on every page that shows any. */
function SampleNotice() {
  const { path, sample, words, signedIn } = useVisit();
  const [page = ""] = path.split("?");
  const channel = ONE_CHANNEL.exec(page)?.[1];
  const isShown =
    channel === undefined
      ? sample.length > 0 && PAGES_WITH_CHANNELS.test(page)
      : sample.includes(Number(channel));
  if (!isShown) return null;
  const { notice } = words.firstSteps;
  return (
    <p class="sample">
      {channel === undefined ? notice.list(sample.length) : notice.channel}{" "}
      {signedIn?.person.isStaff && <a href={asset("/staff/start/")}>{notice.manage}</a>}
    </p>
  );
}
