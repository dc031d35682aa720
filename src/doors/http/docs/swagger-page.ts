import favicon from "swagger-ui-dist/favicon-32x32.png" with { type: "file" };
import styles from "swagger-ui-dist/swagger-ui.css" with { type: "file" };
// @ts-expect-error the package has no types for the file itself, which is only served
import script from "swagger-ui-dist/swagger-ui-bundle.js" with { type: "file" };
import { asset, type PublicRoutes, pageResponse } from "../public-routes.ts";
import { type Docs, framedPage } from "./frame.ts";
import ownStyles from "./methods-page.css" with { type: "file" };
// @ts-expect-error a script of the page, which is only served
import ownScript from "./methods-page.js" with { type: "file" };

/** Swagger UI sets inline styles; everything else comes from the appliance's own files. */
const CONTENT_SECURITY_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; " +
  "img-src 'self' data:; connect-src 'self'; base-uri 'none'; frame-ancestors 'none'";

const BODY = `<div id="swagger-ui"></div>
<noscript>This page needs JavaScript. The document itself is <a href="json">here</a>.</noscript>
<script src="swagger-ui-bundle.js"></script>
<script src="methods-page.js"></script>`;

/** `/docs/`: Swagger UI below the bar, served entirely by the appliance. */
export function swaggerRoutes(docs: Docs): PublicRoutes {
  const page = framedPage({
    ...docs,
    title: "Channel Data API",
    language: "en",
    languages: ["en"],
    query: "",
    root: "../",
    current: "",
    body: BODY,
    styles: ["docs/swagger-ui.css", "docs/methods-page.css"],
  });
  return {
    "/docs/": () => pageResponse(page, CONTENT_SECURITY_POLICY),
    "/docs/methods-page.css": asset(Bun.file(ownStyles), "text/css"),
    "/docs/methods-page.js": asset(Bun.file(ownScript), "text/javascript"),
    "/docs/swagger-ui-bundle.js": asset(Bun.file(script), "text/javascript"),
    "/docs/swagger-ui.css": asset(Bun.file(styles), "text/css"),
    "/docs/favicon.png": asset(Bun.file(favicon), "image/png"),
  };
}
