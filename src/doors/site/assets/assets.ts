// @ts-expect-error the file has no types of its own and is only served
import uplot from "uplot/dist/uPlot.iife.min.js" with { type: "file" };
import uplotStyles from "uplot/dist/uPlot.min.css" with { type: "file" };
import type { Config } from "../../../config.ts";
import { type NoteRequest, noted } from "../../../upkeep/metrics/note-request.ts";
import { bytesFor, packedFiles } from "../../../values/packed-bytes.ts";
import { formatColour, parseColour, readableOn } from "../../../values/settings/colour.ts";
import type { Incoming, Route } from "../../front/front.ts";
import { SECURITY_HEADERS } from "../guard/csrf.ts";
import publicPages from "../public/public.css" with { type: "file" };
import base from "./base.css" with { type: "file" };
import blocks from "./blocks.css" with { type: "file" };
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
    ["frame.css", [brandStyle(brand), ...files(tokens, base, frame)], CSS],
    ["site.css", files(text, forms, tables, blocks, channels, webhooks, firstHour, print), CSS],
    ["public.css", [brandStyle(brand), ...files(tokens, base, publicPages)], CSS],
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

/** Surfaces on which accents must be readable: the lightest and the darkest (tokens.css). */
const LIGHT_SURFACE = [238, 241, 244] as const;
const DARK_SURFACE = [32, 39, 45] as const;
/**
 * Contrast ratio of accents. WCAG requires 4.5 for text; this is higher, because text also appears on a
 * surface tinted with the accent.
 */
const RATIO = 5.6;
/** A logo this wide contains the name itself. */
const WORDMARK_RATIO = 2.2;

type Brand = Pick<Config, "logo" | "accent">;

/** CSS: the operator's accent, made readable in both colour schemes, and the shape of the mark. */
function brandStyle({ logo, accent }: Brand): string {
  const ratio = logo?.ratio ?? 1;
  const { light, dark } = accentsOf(accent);
  const lines = [
    ":root {",
    `  --accent-light: ${light};`,
    `  --accent-dark: ${dark};`,
    `  --mark-ratio: ${ratio.toFixed(3)};`,
    "}",
  ];
  if (ratio >= WORDMARK_RATIO) lines.push(".brand span { position: absolute; left: -100vw; }");
  return `${lines.join("\n")}\n`;
}

/** The operator's accent, readable in each colour scheme. */
export function accentsOf(accent: string): { light: string; dark: string } {
  return {
    light: readableAccent(accent, LIGHT_SURFACE),
    dark: readableAccent(accent, DARK_SURFACE),
  };
}

/** The mark beside the name, and the favicon: the operator's logo, or our own. */
function markOf({ logo, accent }: Brand): {
  content: Uint8Array<ArrayBuffer> | string;
  type: string;
} {
  return logo ?? { content: ownMark(readableAccent(accent, LIGHT_SURFACE)), type: "image/svg+xml" };
}

function readableAccent(
  accent: string,
  surface: typeof LIGHT_SURFACE | typeof DARK_SURFACE,
): string {
  return formatColour(readableOn(surface, parseColour(accent) ?? [0, 0, 0], RATIO));
}

/** Our own mark: a list of channels of different sizes, the first one live. */
function ownMark(accent: string): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">
<rect width="32" height="32" rx="8" fill="${accent}"/>
<g fill="#fff"><rect x="7" y="8" width="11" height="4" rx="2"/><circle cx="23" cy="10" r="2.6"/>
<rect x="7" y="14" width="18" height="4" rx="2" opacity=".8"/><rect x="7" y="20" width="14" height="4" rx="2" opacity=".6"/></g>
</svg>
`;
}
