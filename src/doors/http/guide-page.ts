import { PROSE_POLICY, pageResponse } from "./public-routes.ts";

/** A page of prose below `/docs/`. @param body HTML, with all that is not ours escaped */
export function guidePage(title: string, body: string): Response {
  return pageResponse(
    `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Kanalog: ${title}</title>
<link rel="icon" href="../favicon.png">
<style>
:root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif; }
body { max-width: 48rem; margin: 3rem auto; padding: 0 1rem; }
pre { overflow-x: auto; padding: 1rem; border: 1px solid; border-radius: .5rem; font-size: .85rem; }
td, th { padding: .2rem 1rem .2rem 0; text-align: left; vertical-align: top; }
</style>
</head>
<body>
<p><a href="../">Documentation</a></p>
<h1>${title}</h1>
${body}
</body>
</html>
`,
    PROSE_POLICY,
  );
}
