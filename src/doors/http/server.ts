import { type CategoryImages, IMAGE_PATH } from "../../catalog/directory/category-images.ts";
import { oauthOffText } from "../../customers/oauth/server-metadata.ts";
import { notFound } from "../../errors.ts";
import type { Readiness } from "../../upkeep/checks/readiness.ts";
import { noted, OTHER } from "../../upkeep/metrics/note-request.ts";
import { madeOnce } from "../../values/kept-briefly.ts";
import { LANGUAGES, type Language } from "../../values/messages/messages.ts";
import { bytesFor, type PackedBytes, packedBytes } from "../../values/packed-bytes.ts";
import type { ApiMethod, Documented } from "../../verbs/method.ts";
import { endpoints } from "../../verbs/operator/resources.ts";
import type { AddressLimitContext, Front, Incoming, Route } from "../front/front.ts";
import { createAddressLimit, createFront, limitedByKey } from "../front/front.ts";
import {
  commonHeaders,
  errorAnswer,
  errorResponse,
  type Headers,
  JSON_TYPE,
  json,
  redirectTo,
  redirectToSlash,
  wrongVerb,
} from "./answers.ts";
import { type Book, CHANNEL_DATA, OPERATOR } from "./docs/document-head.ts";
import type { Docs } from "./docs/frame.ts";
import { WRITTEN_ADDRESS } from "./docs/guide-html.ts";
import { guideRoutes } from "./docs/guide-pages.ts";
import { notFoundPage } from "./docs/not-found-page.ts";
import { openApiText } from "./docs/openapi.ts";
import { cachedByReader, readersLanguage } from "./docs/readers-language.ts";
import { referenceRoutes } from "./docs/reference/reference.ts";
import { swaggerRoutes } from "./docs/swagger/swagger-page.ts";
import { type McpContext, mcpRoutes, rootRoute } from "./mcp-route.ts";
import type { PushContext, StripeContext } from "./others-requests.ts";
import { pushRoutes, stripeRoutes } from "./others-requests.ts";
import {
  asset,
  type MetricsContext,
  metricsRoutes,
  PROSE_POLICY,
  type PublicRoute,
  type PublicRoutes,
  pageResponse,
  readinessAnswer,
} from "./public-routes.ts";
import { pathOf, REQUEST_ID } from "./requests/base-address.ts";
import { type RestContext, restRoutes } from "./rest.ts";

interface ServerContext
  extends RestContext,
    McpContext,
    MetricsContext,
    Pick<PushContext, "openPush">,
    StripeContext {
  addresses: AddressLimitContext;
  /** Routes of the other doors. */
  others: readonly Route[];
  docs: Docs;
  isStaff(request: Request): Promise<boolean>;
  /** `/` in a language, with the appliance's address in its links. */
  startHtml(language: Language, address: string): Promise<string>;
  images: CategoryImages;
  /** The bundle for desktop assistants, with this address filled in. */
  bundle(address: string): Promise<Uint8Array<ArrayBuffer>>;
  /** Picture of the MCP server, for programs and their registry. */
  mcpIcon: Blob;
  /** For `/readyz`: the results of all processes. */
  ready(): Promise<Readiness>;
}

export type Server = Front;

/** The HTTP door: all routes, and the answer for unknown addresses. */
export function createServer(methods: readonly ApiMethod[], context: ServerContext): Server {
  const { monotonic } = context.ports.clock;
  const noteOther = context.noteRequests("public", OTHER);
  const routes = [
    ...limitedByKey([
      ...restRoutes(methods, context),
      ...mcpRoutes(context),
      ...pushRoutes(context),
      ...stripeRoutes(context),
    ]),
    ...context.others,
    rootRoute(context),
    ...Object.entries(publicRoutes(methods, context)).flatMap(([path, route]) =>
      routesOf(path, route, context),
    ),
  ];
  return createFront(routes, {
    isStopping: context.bodies.isStopping,
    addresses: createAddressLimit(context.addresses),
    fail(request, thrown) {
      const headers = commonHeaders(request, context);
      const response =
        thrown === null
          ? unknownAddress(request, headers, context)
          : errorAnswer(thrown, headers, context.ports);
      noteOther(response.status, monotonic(), headers[REQUEST_ID] ?? "", null);
      return response;
    },
  });
}

/** Paths that monitors ask, which must be told at any time. */
const CHECKS = ["/healthz", "/readyz", "/metrics"];

/** Routes of a public path, which is only read. */
function routesOf(path: string, route: PublicRoute, context: ServerContext): Route[] {
  const note = context.noteRequests("public", path);
  const { monotonic } = context.ports.clock;
  const answer = noted(note, monotonic, async ({ request, params }: Incoming) => {
    const headers = commonHeaders(request, context);
    try {
      return withHeaders(await route(request, params["name"] ?? ""), headers);
    } catch (error) {
      return errorAnswer(error, headers, context.ports);
    }
  });
  const refuse = noted(note, monotonic, ({ request }: Incoming) => {
    const headers = { ...commonHeaders(request, context), allow: "GET, HEAD" };
    return errorResponse(wrongVerb(request), headers);
  });
  const limit = CHECKS.includes(path) ? ({ limitedBy: "nothing" } as const) : {};
  return [
    { verb: "GET", path, answer, ...limit },
    { verb: "ALL", path, answer: refuse, ...limit },
  ];
}

/**
 * The answer for an unknown address: an OAuth error for a client that looks for OAuth while it is off, a page
 * for a browser, otherwise JSON.
 */
function unknownAddress(request: Request, headers: Headers, context: ServerContext): Response {
  if (context.oauthAddress() === null) {
    const body = oauthOffBody(pathOf(request), context.baseAddress(request));
    if (body !== null) return json(404, body, headers);
  }
  const page = notFoundPage(request, context.docs);
  return page === null
    ? errorAnswer(notFound("address"), headers, context.ports)
    : withHeaders(page, headers);
}

function publicRoutes(methods: readonly ApiMethod[], context: ServerContext): PublicRoutes {
  const { docs, baseAddress } = context;
  const documentOf = (book: Book, operations: readonly Documented[]): PublicRoute => {
    const document = servedDocument((path) => openApiText(book, operations, path));
    return async (request) => {
      const { bytes, headers } = await bytesFor(request, await document(baseAddress(request)));
      return new Response(bytes, { headers: { ...headers, "content-type": JSON_TYPE } });
    };
  };
  /** Hides a route from everybody but signed-in staff. */
  const forStaff =
    (route: PublicRoute): PublicRoute =>
    async (request, name) => {
      if (!(await context.isStaff(request))) throw notFound("address");
      return route(request, name);
    };
  const pages = ["/docs", "/docs/methods/:name", "/docs/swagger"];
  const folders = [...pages, ...docs.guides.map(({ name }) => `/docs/${name}`)];
  return {
    "/": async (request) => {
      const { language } = readersLanguage(request);
      const html = await context.startHtml(language, baseAddress(request));
      return cachedByReader(pageResponse(html, PROSE_POLICY), 60);
    },
    // Pages of the catalog have their language in the address, so people try the start page that way.
    ...Object.fromEntries(
      LANGUAGES.flatMap((language) => [`/${language}`, `/${language}/`]).map((path) => [
        path,
        (request: Request) => redirectTo(request, context, `/?lang=${path.slice(1, 3)}`),
      ]),
    ),
    // Pages name their icon; this is where other programs look for one.
    "/favicon.ico": (request) => redirectTo(request, context, "/account/assets/mark"),
    ...swaggerRoutes(docs, forStaff),
    ...referenceRoutes(docs, baseAddress, () => openApiText(CHANNEL_DATA, methods, "/")),
    ...guideRoutes(docs, baseAddress),
    "/docs/mcp/icon.png": asset(context.mcpIcon, "image/png"),
    "/docs/mcp/kanalog.mcpb": async (request) =>
      bundleResponse(await context.bundle(baseAddress(request))),
    "/docs/json": documentOf(CHANNEL_DATA, methods),
    "/docs/operator/json": forStaff(documentOf(OPERATOR, endpoints)),
    "/healthz": () => json(200, '{"status":"ok"}', {}),
    "/readyz": async () => readinessAnswer(await context.ready()),
    ...metricsRoutes(context),
    [`${IMAGE_PATH}:name`]: (_request, name) => imageResponse(context.images, name),
    ...Object.fromEntries(
      folders.map((path) => [path, (request: Request) => redirectToSlash(request, context)]),
    ),
  };
}

function withHeaders(response: Response, headers: Headers): Response {
  for (const [name, value] of Object.entries(headers)) {
    if (name === "vary") response.headers.append(name, value);
    else response.headers.set(name, value);
  }
  return response;
}

function bundleResponse(content: Uint8Array<ArrayBuffer>): Response {
  return new Response(content, {
    headers: {
      "content-type": "application/octet-stream",
      "content-disposition": 'attachment; filename="kanalog.mcpb"',
      // Private, because it may contain the address that this request named.
      "cache-control": "private, max-age=300",
      "x-content-type-options": "nosniff",
    },
  });
}

function imageResponse(images: CategoryImages, name: string): Response {
  const content = images.content(name);
  if (content === undefined) throw notFound("image");
  return new Response(new Uint8Array(content), {
    headers: {
      "content-type": "image/webp",
      "cache-control": "public, max-age=31536000, immutable",
      "x-content-type-options": "nosniff",
    },
  });
}

/** Paths at which clients look for a way to sign in, with or without the MCP server's path appended. */
const LOOKED_AT = /^\/(?:register\/?$|\.well-known\/(?:oauth-|openid-configuration))/;

/**
 * Body of the 404 for a client looking for OAuth while that is off: an OAuth error, whose text clients show
 * to the person. Null for any other path.
 * @param address the appliance's own, without a trailing slash
 */
function oauthOffBody(path: string, address: string): object | null {
  if (!LOOKED_AT.test(path)) return null;
  return { error: "invalid_request", error_description: oauthOffText(address) };
}

/**
 * Serves the OpenAPI document with the reader's own address in its snippets and examples. The document is
 * generated once, and its bytes are cached for the latest address: usually there is only one, unless
 * neither a setting nor the listener determines it.
 * @param make creates the document with the placeholder address; its base path comes from a setting only
 * @returns the bytes for an address without a trailing slash
 */
export function servedDocument(
  make: (path: string) => Promise<string>,
): (address: string) => Promise<PackedBytes> {
  const document = madeOnce(make);
  let latest: { address: string; bytes: PackedBytes } | null = null;
  return async (address) => {
    if (latest?.address === address) return latest.bytes;
    const text = await document(new URL(address).pathname);
    const bytes = packedBytes(new TextEncoder().encode(text.replaceAll(WRITTEN_ADDRESS, address)));
    latest = { address, bytes };
    return bytes;
  };
}
