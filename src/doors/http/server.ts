import { Elysia } from "elysia";
import { type CategoryImages, IMAGE_PATH } from "../../catalog/directory/category-images.ts";
import { notFound } from "../../errors.ts";
import type { ApiMethod } from "../../methods/method.ts";
import { noted, OTHER } from "../../upkeep/metrics/note-request.ts";
import { errorAnswer, errorResponse, JSON_TYPE, json } from "./answers.ts";
import type { Guide } from "./docs/guide.ts";
import { guideRoutes } from "./docs/guide-pages.ts";
import { openApiText } from "./docs/openapi.ts";
import { type StartFacts, startPageRoutes } from "./docs/start-page.ts";
import { swaggerRoutes } from "./docs/swagger-page.ts";
import { type McpContext, mcpRoutes } from "./mcp-route.ts";
import { type MetricsContext, metricsRoutes } from "./metrics-route.ts";
import type { PublicRoutes } from "./public-routes.ts";
import { type ReadyChecks, readinessAnswer } from "./readiness.ts";
import { REQUEST_ID } from "./requests/request-id.ts";
import { commonHeaders, redirectToSlash, restRoutes, wrongVerb } from "./rest.ts";

export interface ServerContext extends McpContext, MetricsContext {
  /** The routes of other doors. */
  others: Elysia;
  guides: readonly Guide[];
  /** For `/`. */
  startFacts(): Promise<StartFacts>;
  images: CategoryImages;
  readyChecks: ReadyChecks;
  /** Told in `/readyz`, but no reason to send requests elsewhere. */
  readyWarnings: ReadyChecks;
}

export type Server = ReturnType<typeof createServer>;

/** The HTTP door: all routes, and the answer where there is none. */
export function createServer(methods: readonly ApiMethod[], context: ServerContext) {
  const { guides, ports, noteRequests } = context;
  const { monotonic } = ports.clock;
  const noteOther = noteRequests("public", OTHER);
  const rest = restRoutes(methods, context);
  // Bun's own router would decode paths, and take a missing slash, in another way than Elysia's.
  const server = new Elysia({
    systemRouter: false,
    strictPath: true,
    // Else a Host of up to three letters would find no route.
    handler: { standardHostname: false },
  })
    .onError(({ request, code, error }) => {
      const cause = code === "NOT_FOUND" ? notFound("address") : error;
      const headers = commonHeaders(request, context);
      const response = errorAnswer(cause, headers, ports);
      noteOther(response.status, monotonic(), headers[REQUEST_ID] ?? "", null);
      return response;
    })
    .use(rest)
    .use(mcpRoutes(context))
    .use(context.others);

  // The document is made once: the path in it comes from a setting, never from a request.
  let document: Promise<Uint8Array<ArrayBuffer>> | null = null;
  const publicRoutes: PublicRoutes = {
    ...startPageRoutes(guides, context.startFacts),
    ...swaggerRoutes(guides),
    ...guideRoutes(guides, context.baseAddress),
    "/docs/json": async (request) => {
      const { pathname } = new URL(context.baseAddress(request));
      document ??= openApiText(rest, methods, pathname).catch((error) => {
        document = null;
        throw error;
      });
      return new Response(await document, { headers: { "content-type": JSON_TYPE } });
    },
    "/healthz": () => json(200, '{"status":"ok"}', {}),
    "/readyz": () => readinessAnswer(context.readyChecks, context.readyWarnings),
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
