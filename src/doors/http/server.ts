import { Elysia } from "elysia";
import { type CategoryImages, IMAGE_PATH } from "../../catalog/directory/category-images.ts";
import { notFound } from "../../errors.ts";
import type { ApiMethod } from "../../methods/method.ts";
import { noted, OTHER } from "../../upkeep/metrics/note-request.ts";
import {
  commonHeaders,
  errorAnswer,
  errorResponse,
  JSON_TYPE,
  json,
  redirectToSlash,
  wrongVerb,
} from "./answers.ts";
import type { Guide } from "./docs/guide.ts";
import { guideRoutes } from "./docs/guide-pages.ts";
import { notFoundPage } from "./docs/not-found-page.ts";
import { openApiText } from "./docs/openapi.ts";
import { servedDocument } from "./docs/served-document.ts";
import { type StartFacts, startPageRoutes } from "./docs/start-page.ts";
import { swaggerRoutes } from "./docs/swagger-page.ts";
import { type McpContext, mcpRoutes } from "./mcp-route.ts";
import { type MetricsContext, metricsRoutes } from "./metrics-route.ts";
import { oauthOffBody } from "./oauth-off.ts";
import type { PublicRoutes } from "./public-routes.ts";
import { type Looks, readinessAnswer } from "./readiness.ts";
import { REQUEST_ID } from "./requests/request-id.ts";
import { pathOf } from "./requests/request-path.ts";
import { type RestContext, restRoutes } from "./rest.ts";
import { type PushContext, pushRoutes } from "./source-pushes.ts";

interface ServerContext
  extends RestContext,
    McpContext,
    MetricsContext,
    Pick<PushContext, "openPush"> {
  /** The routes of other doors. */
  others: Elysia;
  guides: readonly Guide[];
  /** The name that pages carry. */
  brand: string;
  /** For `/`. */
  startFacts(): Promise<StartFacts>;
  images: CategoryImages;
  /** The bundle for assistants on the desktop, with this address filled in. */
  bundle(address: string): Promise<Uint8Array<ArrayBuffer>>;
  /** For `/readyz`: what this process tells, and what the other workers do. */
  ready(): Promise<{ own: Looks; others: Looks[] }>;
}

export type Server = ReturnType<typeof createServer>;

/** The HTTP door: all routes, and the answer where there is none. */
export function createServer(methods: readonly ApiMethod[], context: ServerContext) {
  const { guides, ports, noteRequests } = context;
  const { monotonic } = ports.clock;
  const noteOther = noteRequests("public", OTHER);
  // Bun's own router would decode paths, and take a missing slash, in another way than Elysia's.
  const server = new Elysia({
    systemRouter: false,
    strictPath: true,
    // A Host of up to three letters would find no route otherwise.
    handler: { standardHostname: false },
  })
    .onError(({ request, code, error }) => {
      const isUnknown = code === "NOT_FOUND";
      const headers = commonHeaders(request, context);
      const isOff = isUnknown && context.oauthAddress() === null;
      const signIn = isOff ? oauthOffBody(pathOf(request), context.baseAddress(request)) : null;
      const page = isUnknown ? notFoundPage(request, guides, context.brand) : null;
      for (const [name, value] of Object.entries(headers)) page?.headers.set(name, value);
      const response =
        signIn !== null
          ? json(404, signIn, headers)
          : (page ?? errorAnswer(isUnknown ? notFound("address") : error, headers, ports));
      noteOther(response.status, monotonic(), headers[REQUEST_ID] ?? "", null);
      return response;
    })
    .use(restRoutes(methods, context))
    .use(mcpRoutes(context))
    .use(pushRoutes(context))
    .use(context.others);

  const document = servedDocument((path) => openApiText(methods, path));
  const publicRoutes: PublicRoutes = {
    ...startPageRoutes(guides, context.brand, context.startFacts),
    ...swaggerRoutes(guides, context.brand),
    ...guideRoutes(guides, context.brand, context.baseAddress),
    "/docs/mcp/kanalog.mcpb": async (request) =>
      bundleResponse(await context.bundle(context.baseAddress(request))),
    "/docs/json": async (request) => {
      const bytes = await document(context.baseAddress(request));
      return new Response(bytes, { headers: { "content-type": JSON_TYPE } });
    },
    "/healthz": () => json(200, '{"status":"ok"}', {}),
    "/readyz": async () => {
      const { own, others } = await context.ready();
      return readinessAnswer(own, others);
    },
    ...metricsRoutes(context),
    [`${IMAGE_PATH}:name`]: (_request, name) => imageResponse(context.images, name),
  };
  for (const path of ["/docs", ...guides.map(({ name }) => `/docs/${name}`)]) {
    publicRoutes[path] = (request) => redirectToSlash(request, context);
  }
  for (const [path, route] of Object.entries(publicRoutes)) {
    const note = noteRequests("public", path);
    const answer = noted(note, monotonic, async ({ request, params }: Incoming) => {
      const headers = commonHeaders(request, context);
      try {
        const response = await route(request, params?.name ?? "");
        for (const [name, value] of Object.entries(headers)) response.headers.set(name, value);
        return response;
      } catch (error) {
        return errorAnswer(error, headers, ports);
      }
    });
    const refuse = noted(note, monotonic, ({ request }: Incoming) =>
      errorResponse(wrongVerb(request), {
        ...commonHeaders(request, context),
        allow: "GET, HEAD",
      }),
    );
    server.get(path, answer).head(path, answer).all(path, refuse);
  }
  return server;
}

interface Incoming {
  request: Request;
  params?: { name?: string };
}

function bundleResponse(content: Uint8Array<ArrayBuffer>): Response {
  return new Response(content, {
    headers: {
      "content-type": "application/octet-stream",
      "content-disposition": 'attachment; filename="kanalog.mcpb"',
      // Not for shared caches: it may have the address that this request named.
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
