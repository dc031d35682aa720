// @ts-expect-error the file has no types of its own and is only served
import uplot from "uplot/dist/uPlot.iife.min.js" with { type: "file" };
import uplotStyles from "uplot/dist/uPlot.min.css" with { type: "file" };
import { type NoteRequest, noted } from "../../../upkeep/metrics/note-request.ts";
import { bytesFor, packedFiles } from "../../../values/packed-bytes.ts";
import type { Incoming, Route } from "../../front/front.ts";
import { SECURITY_HEADERS } from "../guard/security-headers.ts";
import blocks from "./blocks.css" with { type: "file" };
import { type Brand, brandStyle, markOf } from "./brand.ts";
import channels from "./channels.css" with { type: "file" };
import firstHour from "./first-hour.css" with { type: "file" };
import forms from "./forms.css" with { type: "file" };
import frame from "./frame.css" with { type: "file" };
import print from "./print.css" with { type: "file" };
// @ts-expect-error a script for browsers, which is only served
import script from "./site.js" with { type: "file" };
import tables from "./tables.css" with { type: "file" };
import text from "./text.css" with { type: "file" };
import tokens from "./tokens.css" with { type: "file" };
import webhooks from "./webhooks.css" with { type: "file" };

const CSS = "text/css; charset=utf-8";
const JAVASCRIPT = "text/javascript; charset=utf-8";

/** An asset: its name, its parts (files or texts to concatenate), and its media type. */
type Asset = readonly [name: string, parts: readonly Part[], type: string];
type Part = Bun.BunFile | string | Uint8Array<ArrayBuffer>;

function assetsOf(brand: Brand): Asset[] {
  const files = (...paths: string[]) => paths.map((path) => Bun.file(path));
  const mark = markOf(brand);
  return [
    ["frame.css", [brandStyle(brand), ...files(tokens, frame)], CSS],
    ["site.css", files(text, forms, tables, blocks, channels, webhooks, firstHour, print), CSS],
    ["site.js", files(script), JAVASCRIPT],
    ["uplot.css", files(uplotStyles), CSS],
    ["uplot.js", files(uplot), JAVASCRIPT],
    ["mark", [mark.content], mark.type],
  ];
}

/** `/account/assets/`: everything that pages load, from the appliance itself; guides use the styles too. */
export function assetRoutes(
  requestId: (request: Request) => string,
  note: NoteRequest,
  monotonic: () => number,
  brand: Brand,
): Route[] {
  return assetsOf(brand).map(([name, parts, type]): Route => {
    const packed = packedFiles(parts);
    const answer = noted(note, monotonic, async ({ request }: Incoming) => {
      const { bytes, headers } = await bytesFor(request, await packed());
      return new Response(request.method === "HEAD" ? null : bytes, {
        headers: {
          ...SECURITY_HEADERS,
          ...headers,
          "content-type": type,
          "cache-control": "public, max-age=3600",
          "x-request-id": requestId(request),
        },
      });
    });
    const path = `/account/assets/${name}`;
    return { verb: "GET", path, answer };
  });
}
