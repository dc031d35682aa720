import favicon from "swagger-ui-dist/favicon-32x32.png" with { type: "file" };
import styles from "swagger-ui-dist/swagger-ui.css" with { type: "file" };
// @ts-expect-error the package has no types for the file itself, which is only served
import script from "swagger-ui-dist/swagger-ui-bundle.js" with { type: "file" };
import { asset, type PublicRoute, type PublicRoutes, pageResponse } from "../../public-routes.ts";
import { type Docs, framedPage } from "../frame.ts";
import ownStyles from "./methods-page.css" with { type: "file" };
// @ts-expect-error a script of the page, which is only served
import ownScript from "./methods-page.js" with { type: "file" };

/** Swagger UI sets inline styles; everything else comes from the appliance's own files. */
const CONTENT_SECURITY_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; " +
  "img-src 'self' data:; connect-src 'self'; base-uri 'none'; frame-ancestors 'none'";

/** @param document path from the page to the OpenAPI document */
const bodyOf = (document: string) => `<div id="swagger-ui" data-document="${document}"></div>
<noscript>This page needs JavaScript. The document itself is <a href="${document}">here</a>.</noscript>
<script src="../swagger-ui-bundle.js"></script>
<script src="../methods-page.js"></script>`;

/**
 * `/docs/swagger/` and `/docs/operator/`: Swagger UI below the bar, served entirely by the appliance.
 * @param forStaff wraps a route that only staff may see
 */
export function swaggerRoutes(
  docs: Docs,
  forStaff: (route: PublicRoute) => PublicRoute,
): PublicRoutes {
  const framed = (title: string, document: string) =>
    framedPage({
      ...docs,
      title,
      language: "en",
      languages: ["en"],
      query: "",
      root: "../../",
      current: null,
      body: bodyOf(document),
      styles: ["docs/swagger-ui.css", "docs/methods-page.css"],
    });
  const customers = framed("Channel Data API", "../json");
  const operators = framed("Operator API", "json");
  return {
    "/docs/swagger/": () => pageResponse(customers, CONTENT_SECURITY_POLICY),
    "/docs/operator/": forStaff(() => pageResponse(operators, CONTENT_SECURITY_POLICY)),
    "/docs/methods-page.css": asset(Bun.file(ownStyles), "text/css"),
    "/docs/methods-page.js": asset(Bun.file(ownScript), "text/javascript"),
    "/docs/swagger-ui-bundle.js": asset(Bun.file(script), "text/javascript"),
    "/docs/swagger-ui.css": asset(Bun.file(styles), "text/css"),
    "/docs/favicon.png": asset(Bun.file(favicon), "image/png"),
  };
}
