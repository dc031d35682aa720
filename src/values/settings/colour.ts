/** Red, green and blue, each from 0 to 255. */
type Rgb = readonly [red: number, green: number, blue: number];

const BLACK: Rgb = [0, 0, 0];
const WHITE: Rgb = [255, 255, 255];
/** Steps in which a colour is moved towards black or white. */
const STEPS = 50;
/** Luminance at which black and white contrast equally: about 4.6 each. */
const MIDDLE_LUMINANCE = 0.18;

/** @returns null if the text is not `#rrggbb` */
export function parseColour(text: string): Rgb | null {
  const [, ...parts] = /^#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})$/i.exec(text) ?? [];
  return parts.length === 3 ? (parts.map((part) => Number.parseInt(part, 16)) as never) : null;
}

/** @returns `#rrggbb` */
export function formatColour(colour: Rgb): string {
  return `#${colour.map((part) => Math.round(part).toString(16).padStart(2, "0")).join("")}`;
}

/** Contrast ratio of two colours, from 1 to 21 (WCAG 2.2); the order does not matter. */
export function contrast(one: Rgb, other: Rgb): number {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

/**
 * The nearest colour that is readable on the background: darker on a light one, lighter on a dark one.
 * @param ratio the minimum contrast
 */
export function readableOn(background: Rgb, colour: Rgb, ratio: number): Rgb {
  const end = luminance(background) > MIDDLE_LUMINANCE ? BLACK : WHITE;
  for (let step = 0; step < STEPS; step++) {
    const tried = mix(colour, end, step / STEPS);
    if (contrast(tried, background) >= ratio) return tried;
  }
  return end;
}

function mix(from: Rgb, to: Rgb, part: number): Rgb {
  const at = (place: 0 | 1 | 2) => Math.round(from[place] + (to[place] - from[place]) * part);
  return [at(0), at(1), at(2)];
}

/** Relative luminance, from 0 for black to 1 for white (WCAG 2.2). */
function luminance(colour: Rgb): number {
  const [red = 0, green = 0, blue = 0] = colour.map((part) => {
    const value = part / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
