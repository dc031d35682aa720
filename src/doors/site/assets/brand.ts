import type { Config } from "../../../config.ts";
import { formatColour, parseColour, readableOn } from "../../../values/colour.ts";

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

/** A brand, as configured. */
export type Brand = Pick<Config, "logo" | "accent">;

/** CSS: the operator's accent, made readable in both colour schemes, and the shape of the mark. */
export function brandStyle({ logo, accent }: Brand): string {
  const ratio = logo?.ratio ?? 1;
  const lines = [
    ":root {",
    `  --accent-light: ${readableAccent(accent, LIGHT_SURFACE)};`,
    `  --accent-dark: ${readableAccent(accent, DARK_SURFACE)};`,
    `  --mark-ratio: ${ratio.toFixed(3)};`,
    "}",
  ];
  if (ratio >= WORDMARK_RATIO) lines.push(".brand span { position: absolute; left: -100vw; }");
  return `${lines.join("\n")}\n`;
}

/** The mark beside the name, and the favicon: the operator's logo, or our own. */
export function markOf({ logo, accent }: Brand): {
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
