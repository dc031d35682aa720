import { expect } from "bun:test";
import type { Appliance } from "./appliance.ts";

/** Samples by name and labels, as in the text format: `name{label="value"}`. */
type Samples = Map<string, number>;

/** With these settings, and the header below, the appliance takes the scrape for a local one. */
export const SCRAPED = { KANALOG_TRUST_PROXY: "true" };
const LOCAL = { "x-forwarded-for": "127.0.0.1" };

const COMMENT = /^# (?:HELP|TYPE) [a-z_]+ .+$/;
const SAMPLE = /^([a-z_]+(?:\{[a-z]+="[^"\\]*"(?:,[a-z]+="[^"\\]*")*\})?) (\S+)$/;

/** Reads `/metrics` of an appliance started with SCRAPED; every line must be valid text format. */
export async function scrape(appliance: Appliance): Promise<Samples> {
  const { status, body, headers } = await appliance.request("/metrics", { headers: LOCAL });
  expect(status).toBe(200);
  expect(headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8");
  return readSamples(body);
}

function readSamples(text: string): Samples {
  const samples: Samples = new Map();
  for (const line of text.split("\n")) {
    if (line === "" || COMMENT.test(line)) continue;
    const [, name = "", value] = SAMPLE.exec(line) ?? [];
    expect(name, line).not.toBe("");
    expect(Number.isFinite(Number(value)), line).toBe(true);
    expect(samples.has(name), `${name} twice`).toBe(false);
    samples.set(name, Number(value));
  }
  return samples;
}
