import { readFile } from "node:fs/promises";
import medium from "@expo-google-fonts/inter/500Medium/Inter_500Medium.ttf" with { type: "file" };
import bold from "@expo-google-fonts/inter/700Bold/Inter_700Bold.ttf" with { type: "file" };
import wasm from "@resvg/resvg-wasm/index_bg.wasm" with { type: "file" };
import { madeOnce } from "../../../../values/kept-briefly.ts";

/** The font of texts in pictures: servers often have none. */
export const FONT = "Inter";

/** Loaded with the first picture, which takes 50 ms: most appliances draw none. */
const load = madeOnce(async () => {
  const { initWasm, Resvg } = await import("@resvg/resvg-wasm");
  const [program, ...fontBuffers] = await Promise.all(
    [wasm, bold, medium].map((path) => readFile(path)),
  );
  await initWasm(program as Uint8Array<ArrayBuffer>);
  return { Resvg, font: { fontBuffers, defaultFontFamily: FONT, loadSystemFonts: false } };
});

/** Draws an SVG as PNG. It takes 30 to 100 ms of a processor, so it runs on a thread. */
export async function drawPng(svg: string): Promise<Uint8Array<ArrayBuffer>> {
  const { Resvg, font } = await load();
  const drawing = new Resvg(svg, { font });
  try {
    const image = drawing.render();
    try {
      return new Uint8Array(image.asPng());
    } finally {
      image.free();
    }
  } finally {
    drawing.free();
  }
}
