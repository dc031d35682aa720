import favicon from "swagger-ui-dist/favicon-32x32.png" with { type: "file" };
import styles from "swagger-ui-dist/swagger-ui.css" with { type: "file" };
// @ts-expect-error the package has no types for the file itself, which is only served
import script from "swagger-ui-dist/swagger-ui-bundle.js" with { type: "file" };
import { asset, type PublicRoutes, pageResponse } from "../public-routes.ts";
import { framedPage } from "./frame.ts";
import type { Guide } from "./guide.ts";

/** Swagger UI styles its own elements; all else comes from the appliance's own files. */
const CONTENT_SECURITY_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; " +
  "img-src 'self' data:; connect-src 'self'; base-uri 'none'; frame-ancestors 'none'";

const HEAD = '<link rel="stylesheet" href="swagger-ui.css">';

const BODY = `<div id="swagger-ui"></div>
<noscript>This page needs JavaScript. The document itself is <a href="json">here</a>.</noscript>
<script src="swagger-ui-bundle.js"></script>
<script src="initializer.js"></script>`;

/** Starts Swagger UI without colours: it would freeze for seconds over the tree of territories. */
const INITIALIZER = `const dark = matchMedia("(prefers-color-scheme: dark)");
const follow = () => document.documentElement.classList.toggle("dark-mode", dark.matches);
dark.addEventListener("change", follow);
follow();
SwaggerUIBundle({
  url: "json",
  dom_id: "#swagger-ui",
  deepLinking: true,
  displayRequestDuration: true,
  syntaxHighlight: false,
  persistAuthorization: true,
  tryItOutEnabled: true,
  validatorUrl: null,
});
`;

/** `/docs/`: Swagger UI below the bar, served whole by the appliance (decisions, section 10). */
export function swaggerRoutes(guides: readonly Guide[], brand: string): PublicRoutes {
  const page = framedPage({
    brand,
    title: "Channel Data API",
    language: "en",
    root: "../",
    guides,
    current: "",
    languages: ["en"],
    query: "",
    head: HEAD,
    body: BODY,
  });
  return {
    "/docs/": () => pageResponse(page, CONTENT_SECURITY_POLICY),
    "/docs/initializer.js": () => asset(INITIALIZER, "text/javascript"),
    "/docs/swagger-ui-bundle.js": () => asset(Bun.file(script), "text/javascript"),
    "/docs/swagger-ui.css": () => asset(Bun.file(styles), "text/css"),
    "/docs/favicon.png": () => asset(Bun.file(favicon), "image/png"),
  };
}
