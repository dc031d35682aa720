import { Elysia } from "elysia";
// @ts-expect-error the file has no types of its own and is only served
import uplot from "uplot/dist/uPlot.iife.min.js" with { type: "file" };
import uplotStyles from "uplot/dist/uPlot.min.css" with { type: "file" };
import { type NoteRequest, noted } from "../../../upkeep/metrics/note-request.ts";
import { SECURITY_HEADERS } from "../guard/security-headers.ts";
import firstHourStyles from "./first-hour.css" with { type: "file" };
import frameStyles from "./frame.css" with { type: "file" };
import styles from "./site.css" with { type: "file" };
// @ts-expect-error a script for browsers, which is only served
import script from "./site.js" with { type: "file" };

const FILES = [
  ["first-hour.css", firstHourStyles, "text/css; charset=utf-8"],
  ["frame.css", frameStyles, "text/css; charset=utf-8"],
  ["site.css", styles, "text/css; charset=utf-8"],
  ["site.js", script, "text/javascript; charset=utf-8"],
  ["uplot.css", uplotStyles, "text/css; charset=utf-8"],
  ["uplot.js", uplot, "text/javascript; charset=utf-8"],
] as const;

/** `/account/assets/`: all that pages load, from the appliance itself; guides load the styles too. */
export function assetRoutes(
  requestId: (request: Request) => string,
  note: NoteRequest,
  monotonic: () => number,
) {
  const routes = new Elysia({ name: "site-assets", strictPath: true });
  const hidden = { detail: { hide: true } };
  for (const [name, file, type] of FILES) {
    const answer = noted(
      note,
      monotonic,
      ({ request }: { request: Request }) =>
        new Response(request.method === "HEAD" ? null : Bun.file(file), {
          headers: {
            ...SECURITY_HEADERS,
            "content-type": type,
            "cache-control": "public, max-age=3600",
            "x-request-id": requestId(request),
          },
        }),
    );
    const path = `/account/assets/${name}`;
    routes.get(path, answer, hidden).head(path, answer, hidden);
  }
  return routes;
}
