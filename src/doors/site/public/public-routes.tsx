/** @jsxImportSource hono/jsx */
import type { Pictures } from "../../../catalog/channels/pictures.ts";
import type { Config } from "../../../config.ts";
import { AppError, toAppError } from "../../../errors.ts";
import type { Ports } from "../../../ports/ports.ts";
import { type NoteRequests, noted } from "../../../upkeep/metrics/note-request.ts";
import type { Language } from "../../../values/messages/messages.ts";
import { LANGUAGES, message, inLanguage as told } from "../../../values/messages/messages.ts";
import { createTurns, runFor } from "../../../values/tenant.ts";
import { STATUS_OF } from "../../../verbs/method.ts";
import type { Services } from "../../../verbs/services.ts";
import { WORDS } from "../../../words/words.ts";
import type { Incoming, Route } from "../../front/front.ts";
import { SECURITY_HEADERS } from "../guard/csrf.ts";
import { CACHED, createKeptAnswers, type MadeAnswer } from "./kept-answers.ts";
import { type PublicView, renderPublic } from "./public-document.tsx";
import { inLanguage, linkTo, type Reader, USUAL_LANGUAGE } from "./reader.tsx";

export interface PublicContext {
  config: Config;
  ports: Ports;
  services: Services;
  baseAddress(request: Request): string;
  requestId(request: Request): string;
  noteRequests: NoteRequests;
  isSignUpOpen(): Promise<boolean>;
  /** @throws AppError `throttled` if too many pictures wait to be drawn */
  draw(svg: string): Promise<Uint8Array<ArrayBuffer>>;
  pictures: Pictures;
  partStarts(partsMax: number): Promise<number[]>;
  sitemapPart(part: { afterId: number; address: string }): Promise<string>;
}

/** The result of looking up an address of the public catalog. */
export type Found =
  | { kind: "page"; view: PublicView; isKept: boolean }
  | {
      kind: "file";
      type: string;
      content: string | Uint8Array<ArrayBuffer>;
      mayBeFramed?: true;
      isBadge?: true;
    }
  /** Another path in the same language. */
  | { kind: "moved"; path: string }
  /** There was something: a channel that was hidden or deleted. */
  | { kind: "gone" }
  | { kind: "missing" };

/** An address of the public catalog. */
export interface PublicPage {
  path: string;
  /** Whether only this address exists; otherwise each language has its own. */
  hasOneLanguage?: true;
  /** Whether it is drawn by a thread or fetched, each with a queue of its own; otherwise pages take turns. */
  waitsElsewhere?: true;
  /**
   * Query parameters that change the answer, and what is read from a text; none if that is empty. Answers are
   * kept by what is read, so that a stranger cannot make many of one.
   */
  query?: Readonly<Record<string, (given: string) => string>>;
  find(asked: Asked, context: PublicContext): Promise<Found>;
}

export interface Asked {
  reader: Reader;
  /** A parameter of the path; null if it is not UTF-8. */
  param(name: string): string | null;
  query: URLSearchParams;
}

/** All public reading takes turns as one tenant, so that no number of visitors outweighs the customers. */
const TENANT = "the public catalog";

/**
 * Pages that wait while one is made: each takes the main thread for some milliseconds, which customers'
 * requests wait. Beyond that, a crawler is told to come back.
 */
const WAITING_MAX = 64;
const tooManyPages = (): AppError =>
  new AppError("throttled", message("addressThrottled"), { retryAfterS: 5 });

/** Content security policy of public pages. */
const PAGE_POLICY =
  "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";
const PAGE_HEADERS = { ...SECURITY_HEADERS, "content-security-policy": PAGE_POLICY };
/**
 * A badge stands on pages of others, which should not lose it while the appliance is down or fails: caches may
 * show it for a day then. Otherwise they ask again as for any page, so that a hidden channel's goes within a minute.
 */
const BADGE_CACHED = `${CACHED}, stale-if-error=86400`;
const fileHeaders = ({ mayBeFramed, isBadge }: { mayBeFramed?: true; isBadge?: true }) => ({
  ...(isBadge && { "cache-control": BADGE_CACHED }),
  ...SECURITY_HEADERS,
  "content-security-policy": `default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors ${mayBeFramed ? "*" : "'none'"}`,
});
const HTML = "text/html; charset=utf-8";

/** Path and query of an address, whose host may be invalid. */
const PATH_AND_QUERY = /^[a-z]+:\/\/[^/?#]*([^?#]*)(\?[^#]*)?/i;

/** Routes of public pages in all languages; their answers are kept for a moment. */
export function publicRoutes(pages: readonly PublicPage[], context: PublicContext): Route[] {
  const { clock } = context.ports;
  const kept = createKeptAnswers(clock.monotonic);
  const turns = createTurns(WAITING_MAX, tooManyPages);
  return pages.flatMap((page) => {
    const note = context.noteRequests("public", page.path);
    const counted = (answer: (incoming: Incoming) => Promise<Response>) =>
      noted(note, clock.monotonic, async (incoming: Incoming) => {
        const response = await answer(incoming);
        response.headers.set("x-request-id", context.requestId(incoming.request));
        return response;
      });
    const languages = page.hasOneLanguage ? [USUAL_LANGUAGE] : LANGUAGES;
    return languages.flatMap((language): Route[] => {
      const path = inLanguage(language, page.path);
      const answering = {
        kept,
        turns,
        name: `${language} ${page.path}`,
      };
      const answer = counted((incoming) =>
        answerPublic(page, language, incoming, context, answering),
      );
      const toSlash = counted(async ({ request }) => {
        const reader = { address: context.baseAddress(request) };
        const [, path = "", query = ""] = PATH_AND_QUERY.exec(request.url) ?? [];
        return redirect(linkTo(reader, `${path}/${query}`));
      });
      const withoutSlash = { verb: "GET", path: path.slice(0, -1), answer: toSlash } as const;
      return [{ verb: "GET", path, answer }, ...(path.endsWith("/") ? [withoutSlash] : [])];
    });
  });
}

interface Answering {
  /** Language and path of the page, in the keys of kept answers. */
  name: string;
  kept: ReturnType<typeof createKeptAnswers>;
  turns: ReturnType<typeof createTurns>;
}

async function answerPublic(
  page: PublicPage,
  language: Language,
  { request, params }: Incoming,
  context: PublicContext,
  { kept, turns, name }: Answering,
): Promise<Response> {
  const address = context.baseAddress(request);
  // Not asked for an answer that is kept.
  const reading = async (): Promise<Reader> => ({
    ...{ language, address, ...settingsFor(context.config) },
    maySignUp: await context.isSignUpOpen(),
  });
  try {
    const query = page.query === undefined ? NO_QUERY : queryOf(request, page.query);
    const make = async () => {
      const reader = await reading();
      const asked = { reader, query, param: (name: string) => params[name] ?? null };
      return answerOf(await page.find(asked, context), reader);
    };
    const makeNext = () =>
      runFor(TENANT, null, () => (page.waitsElsewhere ? make() : turns.take(make)));
    // A path has one parameter at most, null if it is not UTF-8, and nothing before it contains a space.
    const [param = null] = Object.values(params);
    const key = `${address} ${name} ${query}${param === null ? "" : ` ${param}`}`;
    return await kept(request, key, makeNext);
  } catch (thrown) {
    const error = toAppError(thrown);
    if (error.code === "internal") context.ports.log.error({ err: thrown }, "a public page failed");
    return failure(error, await reading());
  }
}

/** Settings that every page shows or follows. */
export function settingsFor({ brand, contact, legal, public: mode }: Config) {
  return { brand, contact, legal, hasCatalog: mode !== "off", hasCharts: mode === "charts" };
}

const NO_QUERY = new URLSearchParams();

function queryOf({ url }: Request, parameters: NonNullable<PublicPage["query"]>): URLSearchParams {
  const start = url.indexOf("?");
  if (start < 0) return NO_QUERY;
  const given = new URLSearchParams(url.slice(start));
  const read = Object.entries(parameters).map(
    ([name, of]) => [name, of(given.get(name) ?? "")] as [string, string],
  );
  return new URLSearchParams(read.filter(([, value]) => value !== ""));
}

function answerOf(found: Found, reader: Reader): MadeAnswer | (() => Response) {
  switch (found.kind) {
    case "page": {
      const content = renderPublic(found.view, reader);
      if (found.isKept) return { type: HTML, content, headers: PAGE_HEADERS };
      return () => pageAnswer(200, content);
    }
    case "file":
      return { ...found, headers: fileHeaders(found) };
    case "moved":
      return () => redirect(linkTo(reader, inLanguage(reader.language, found.path)));
    case "gone":
      return () => nothing(410, reader);
    case "missing":
      return () => nothing(404, reader);
  }
}

function redirect(location: string): Response {
  const headers = { ...PAGE_HEADERS, location, "cache-control": "public, max-age=30" };
  return new Response(null, { status: 301, headers });
}

function nothing(status: 404 | 410, reader: Reader): Response {
  const { notFound, publicPages: texts } = WORDS[reader.language];
  return messageAnswer(status, notFound, status === 410 ? texts.gone : texts.missing, reader);
}

function failure(error: AppError, reader: Reader): Response {
  const { failed, failedText } = WORDS[reader.language];
  const isOwn = error.code === "internal";
  const text = isOwn ? failedText : told(reader.language, error.publicMessage);
  const response = messageAnswer(STATUS_OF[error.code], failed, text, reader);
  if (error.retryAfterS !== undefined) response.headers.set("retry-after", `${error.retryAfterS}`);
  return response;
}

function messageAnswer(status: number, title: string, text: string, reader: Reader): Response {
  const body = (
    <section class="hero">
      <h1>{title}</h1>
      <p>{text}</p>
    </section>
  );
  const view = { path: null, title, description: text, body };
  return pageAnswer(status, renderPublic(view, reader));
}

function pageAnswer(status: number, html: string): Response {
  return new Response(html, {
    status,
    headers: {
      ...PAGE_HEADERS,
      "content-type": HTML,
      "cache-control": "no-store",
      "content-length": `${Buffer.byteLength(html)}`,
    },
  });
}
