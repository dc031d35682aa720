/** @jsxImportSource hono/jsx */
import type { JSX } from "hono/jsx/jsx-runtime";
import type { Thing } from "schema-dts";
import { LANGUAGES, type Language } from "../../../values/messages/messages.ts";
import { WORDS } from "../../../words/words.ts";
import { withoutUnshown } from "../look/shown.tsx";
import { LegalLinks } from "../look/user-text.tsx";
import { JsonLd, publisherOf } from "./json-ld.tsx";
import {
  addressOf,
  ForReader,
  inLanguage,
  linkTo,
  pageLink,
  type Reader,
  USUAL_LANGUAGE,
  useReader,
} from "./reader.tsx";

export interface PublicView {
  /** Path of the page in any language; null for one that has no address, such as a missing channel. */
  path: string | null;
  /** Whether the languages have one address, with the language in its query. */
  hasOneAddress?: true;
  title: string;
  description: string;
  /** Path of its share picture. */
  picture?: { path: string; alt: string } | null;
  things?: readonly Thing[];
  body: JSX.Element;
}

/** The complete document around a public page, without characters that would mislead its reader. */
export function renderPublic(view: PublicView, reader: Reader): string {
  const html = (
    <ForReader value={reader}>
      <Document view={view} />
    </ForReader>
  ).toString();
  return `<!doctype html>${withoutUnshown(html)}`;
}

function Document({ view }: { view: PublicView }) {
  const reader = useReader();
  const { words, brand, language } = reader;
  return (
    <html lang={language}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>{`${view.title} · ${brand}`}</title>
        <meta name="description" content={view.description} />
        {view.path === null ? (
          <meta name="robots" content="noindex" />
        ) : (
          <Shared view={view} addressIn={(one) => reader.address + pathIn(view, one)} />
        )}
        <link rel="icon" href={linkTo(reader, "/account/assets/mark")} />
        <link rel="stylesheet" href={linkTo(reader, "/account/assets/public.css")} />
        {view.things !== undefined && <JsonLd things={[publisherOf(reader), ...view.things]} />}
      </head>
      <body>
        <a class="skip" href="#content">
          {words.skipToContent}
        </a>
        <header>
          <a class="brand" href={linkTo(reader, "/")}>
            <span>{brand}</span>
          </a>
          <nav aria-label={words.navigation}>
            <Links />
          </nav>
          <p class="own">
            {LANGUAGES.filter((one) => one !== language).map((one) => (
              <a href={linkTo(reader, pathIn(view, one))} lang={one} hreflang={one}>
                {WORDS[one].languageName}
              </a>
            ))}
            <a href={linkTo(reader, "/account/")}>{words.signIn}</a>
          </p>
        </header>
        <main id="content">{view.body}</main>
        {view.path !== "/" && <SignUp />}
        <footer>
          <p class="links">
            <span>{brand}</span>
            <Links />
            <LegalLinks {...reader} label={words.startPage.contact} />
          </p>
        </footer>
      </body>
    </html>
  );
}

function Links() {
  const reader = useReader();
  const { words, texts, hasCatalog } = reader;
  return (
    <>
      {hasCatalog && <a href={pageLink(reader, "/c/")}>{texts.catalog}</a>}
      <a href={`${linkTo(reader, "/")}#plans`}>{words.startPage.plans}</a>
      <a href={linkTo(reader, "/docs/")}>{words.documentation}</a>
    </>
  );
}

/** The page's path in a language, below the appliance's address. */
function pathIn({ path, hasOneAddress }: PublicView, language: Language): string {
  return hasOneAddress ? `${path}?lang=${language}` : inLanguage(language, path ?? "/c/");
}

/** Addresses in each language, and what a link to the page looks like elsewhere. */
function Shared({
  view,
  addressIn,
}: {
  view: PublicView;
  /** The page's address in a language. */
  addressIn(language: Language): string;
}) {
  const reader = useReader();
  const { words, brand, language } = reader;
  const own = addressIn(language);
  const { picture } = view;
  return (
    <>
      <link rel="canonical" href={own} />
      {LANGUAGES.map((one) => (
        <link rel="alternate" hreflang={one} href={addressIn(one)} />
      ))}
      <link rel="alternate" hreflang="x-default" href={addressIn(USUAL_LANGUAGE)} />
      <meta property="og:type" content="website" />
      <meta property="og:site_name" content={brand} />
      <meta property="og:title" content={view.title} />
      <meta property="og:description" content={view.description} />
      <meta property="og:url" content={own} />
      <meta property="og:locale" content={words.locale.replace("-", "_")} />
      {LANGUAGES.filter((one) => one !== language).map((one) => (
        <meta property="og:locale:alternate" content={WORDS[one].locale.replace("-", "_")} />
      ))}
      {picture != null && (
        <>
          <meta property="og:image" content={addressOf(reader, picture.path)} />
          <meta property="og:image:type" content="image/png" />
          <meta property="og:image:width" content="1200" />
          <meta property="og:image:height" content="630" />
          <meta property="og:image:alt" content={picture.alt} />
        </>
      )}
      <meta name="twitter:card" content={picture == null ? "summary" : "summary_large_image"} />
      <meta name="twitter:title" content={view.title} />
      <meta name="twitter:description" content={view.description} />
      {picture != null && <meta name="twitter:image" content={addressOf(reader, picture.path)} />}
    </>
  );
}

/** How a visitor becomes a customer. */
function SignUp() {
  const reader = useReader();
  const { texts, maySignUp } = reader;
  return (
    <aside class="sign-up">
      <div>
        <h2>{texts.signUpTitle}</h2>
        <p>{texts.signUpText}</p>
      </div>
      <p class="row">
        {maySignUp && (
          <a class="button" href={linkTo(reader, "/account/sign-up/")}>
            {texts.signUp}
          </a>
        )}
        <a class={maySignUp ? "button second" : "button"} href={linkTo(reader, "/")}>
          {texts.plans}
        </a>
      </p>
    </aside>
  );
}
