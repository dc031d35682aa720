import { isAscii, isUtf8 } from "node:buffer";
import { AppError } from "../../../errors.ts";
import { message } from "../../../values/messages/messages.ts";
import type { Encoding } from "./recognized.ts";

const LABELS = {
  "UTF-8": "utf-8",
  "UTF-16": "utf-16le",
  "UTF-16BE": "utf-16be",
  "Windows-1251": "windows-1251",
} as const;

type Decoder = (piece: Uint8Array, isEnd: boolean) => string;

/** Length of UTF-16's byte order mark. */
const MARK_BYTES = 2;

/** Bytes examined to distinguish UTF-8 from Windows-1251, which may resemble UTF-8 for a letter or two. */
const SAMPLE_BYTES = 4096;

/**
 * Decodes text piece by piece. UTF-16 is recognized by its byte order mark; otherwise the first non-ASCII
 * letters decide between UTF-8 and Windows-1251. Text before them is passed on at once, because it is the
 * same in both.
 * @param onEncoding called before the first letters in that encoding
 * @throws AppError `invalid` naming the line if later bytes do not fit the encoding
 */
export async function* decodeText(
  bytes: AsyncIterable<Uint8Array>,
  file: string,
  onEncoding: (encoding: Encoding) => void,
): AsyncGenerator<string> {
  let decode: Decoder | null = null;
  let held: Uint8Array = new Uint8Array();
  let isBegun = false;
  let lines = 1;

  for await (const piece of bytes) {
    held = held.byteLength === 0 ? piece : Buffer.concat([held, piece]);
    if (decode === null && held.byteLength >= MARK_BYTES) {
      if (!isBegun) decode = byEncoding(encodingByMark(held));
      isBegun = true;
      if (decode === null && isAscii(held)) {
        yield counted(Buffer.from(held).toString("latin1"));
        held = new Uint8Array();
      } else if (decode === null && held.byteLength >= SAMPLE_BYTES) {
        decode = byEncoding(encodingByContent(held, true));
      }
    }
    if (decode === null) continue;
    yield decode(held, false);
    held = new Uint8Array();
  }
  decode ??= byEncoding(encodingByContent(held, false)) as Decoder;
  yield decode(held, true);

  function byEncoding(found: keyof typeof LABELS | null): Decoder | null {
    if (found === null) return null;
    const encoding = found === "UTF-16BE" ? "UTF-16" : found;
    const decoder = new TextDecoder(LABELS[found], { fatal: true });
    onEncoding(encoding);
    return (piece, isEnd) => {
      try {
        return counted(decoder.decode(piece, { stream: !isEnd }));
      } catch {
        const [code, line] =
          encoding === "UTF-16"
            ? (["fileNotUtf16", lines] as const)
            : (["fileNotUtf8", lines + linesBeforeFault(piece)] as const);
        throw new AppError("invalid", message(code, { file, line }));
      }
    };
  }

  function counted(text: string): string {
    lines += text.split("\n").length - 1;
    return text;
  }
}

function encodingByMark([first, second]: Uint8Array): keyof typeof LABELS | null {
  if (first === 0xff && second === 0xfe) return "UTF-16";
  return first === 0xfe && second === 0xff ? "UTF-16BE" : null;
}

/** @param isCut whether more follows, so that the last character may be incomplete */
function encodingByContent(sample: Uint8Array, isCut: boolean): keyof typeof LABELS {
  const text = new TextDecoder("utf-8").decode(sample, { stream: isCut });
  const foreign = text.match(/[^\0-\x7f]/g)?.length ?? 0;
  const broken = text.match(/\ufffd/g)?.length ?? 0;
  // A few invalid letters among many mean a damaged file, which is reported; Windows-1251 read as UTF-8 is
  // nearly all invalid.
  return broken > foreign - broken ? "Windows-1251" : "UTF-8";
}

/** Number of line breaks before the first line that is not UTF-8. */
function linesBeforeFault(piece: Uint8Array): number {
  // The first bytes may complete a character that began in the previous piece.
  const start = piece.findIndex((byte) => byte < 0x80 || byte > 0xbf);
  const lines = Buffer.from(piece.subarray(Math.max(0, start)))
    .toString("latin1")
    .split("\n");
  const bad = lines.findIndex((line) => !isUtf8(Buffer.from(line, "latin1")));
  return Math.max(0, bad);
}
