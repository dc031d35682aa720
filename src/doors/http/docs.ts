import favicon from "swagger-ui-dist/favicon-32x32.png" with { type: "file" };
import styles from "swagger-ui-dist/swagger-ui.css" with { type: "file" };
// @ts-expect-error the package has no types for the file itself, which is only served
import script from "swagger-ui-dist/swagger-ui-bundle.js" with { type: "file" };
import { type PublicRoutes, pageResponse } from "./public-routes.ts";

/** Swagger UI styles its own elements; all else comes from the appliance's own files. */
const CONTENT_SECURITY_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; " +
  "img-src 'self' data:; connect-src 'self'; base-uri 'none'; frame-ancestors 'none'";

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Kanalog: Channel Data API</title>
<link rel="icon" href="favicon.png">
<link rel="stylesheet" href="swagger-ui.css">
</head>
<body>
<div id="swagger-ui"></div>
<noscript>This page needs JavaScript. The document itself is <a href="json">here</a>.</noscript>
<script src="swagger-ui-bundle.js"></script>
<script src="initializer.js"></script>
</body>
</html>
`;

/** Without colours: Swagger UI freezes for seconds while it colours the tree of territories. */
const INITIALIZER = `SwaggerUIBundle({
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

/** `/docs/`: Swagger UI, served whole by the appliance (decisions, section 10). */
export const docsRoutes: PublicRoutes = {
  "/docs/": () => pageResponse(PAGE, CONTENT_SECURITY_POLICY),
  "/docs/initializer.js": () => asset(INITIALIZER, "text/javascript"),
  "/docs/swagger-ui-bundle.js": () => asset(Bun.file(script), "text/javascript"),
  "/docs/swagger-ui.css": () => asset(Bun.file(styles), "text/css"),
  "/docs/favicon.png": () => asset(Bun.file(favicon), "image/png"),
};

function asset(content: string | Blob, type: string): Response {
  return new Response(content, {
    headers: { "content-type": type, "cache-control": "public, max-age=3600" },
  });
}
