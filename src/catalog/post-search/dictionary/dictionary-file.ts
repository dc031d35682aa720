import { gunzipSync, gzipSync } from "node:zlib";
import { ALONE, type Compiled } from "./compile.ts";

/** Changes with the format, which the index's tokens depend on too. */
const FORMAT = 3;

/** The file of a compiled dictionary: a line that describes it, the arcs, and the tokens, all compressed. */
export function writeDictionary({ arcs, tokens }: Compiled): Uint8Array {
  const text = Buffer.from(tokens.join("\n"));
  const hash = hashOf(arcs, text);
  const head = Buffer.from(`${JSON.stringify({ format: FORMAT, arcs: arcs.length, hash })}\n`);
  return gzipSync(Buffer.concat([head, Buffer.from(arcs.buffer), text]), { level: 9 });
}

function hashOf(arcs: Uint32Array, text: Uint8Array): string {
  const hash = new Bun.CryptoHasher("sha256");
  return hash.update(arcs).update(text).digest("hex").slice(0, 16);
}

export interface Dictionary {
  arcs: Uint32Array;
  /** By the numbers of forms: letters that a form has beyond its token's beginning. */
  drops: Uint8Array;
  /** By the numbers of forms: their token and those of other forms with one of its lemmas (compile.ts). */
  tokens: string[];
  /** By the numbers of forms: 1 if no other form has their token. */
  areAlone: Uint8Array;
  hash: string;
}

/** @throws Error if the file is not a dictionary, or damaged */
export function readDictionary(file: Uint8Array): Dictionary {
  const bytes = gunzipSync(file);
  const headEnd = bytes.indexOf("\n") + 1;
  const { format, arcs: length, hash } = JSON.parse(bytes.subarray(0, headEnd).toString());
  if (format !== FORMAT) throw new Error(`it has format ${format} instead of ${FORMAT}`);
  const arcs = new Uint32Array(length);
  const textStart = headEnd + arcs.byteLength;
  new Uint8Array(arcs.buffer).set(bytes.subarray(headEnd, textStart));
  const text = bytes.subarray(textStart);
  if (hashOf(arcs, text) !== hash) throw new Error("it is damaged");
  const lines = text.toString().split("\n");
  const tokens = lines.map((line) => (line.endsWith(ALONE) ? line.slice(0, -1) : line));
  return {
    arcs,
    drops: Uint8Array.from(tokens, (one) => Number.parseInt(one, 10)),
    tokens,
    areAlone: Uint8Array.from(lines, (line) => (line.endsWith(ALONE) ? 1 : 0)),
    hash,
  };
}
