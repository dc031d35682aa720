import { open } from "node:fs/promises";
import { type Destination, type FetchFault, fetchAddress, fetchFaultOf } from "./fetch-address.ts";

/** One GET to exactly this address, whose answer goes into a file. */
export interface DownloadRequest extends Destination {
  /** The file that is made for the answer's body, as it was sent: packed where it came packed. */
  into: string;
  /** Time limit of the answer's head, and of each further piece of its body. */
  silenceMaxMs: number;
  bytesMax: number;
  /** Aborts the request, whose result is then a `timeout`. */
  signal: AbortSignal;
}

export type DownloadResult =
  | { status: number; headers: DownloadHeaders; bytes: number }
  | { fault: DownloadFault };

/** Headers of the answer that say something; null where it has none. */
export type DownloadHeaders = Record<
  "etag" | "last-modified" | "location" | "retry-after" | "content-type",
  string | null
>;

/** `broken` too where the answer ended before its announced length. */
export type DownloadFault = "timeout" | FetchFault | "too_large";

/** A file that comes byte by byte ends some day. */
const WHOLE_MAX_MS = 6 * 60 * 60 * 1000;
/** Bytes that are read of an answer that is not the file's. */
const REFUSAL_BYTES_MAX = 64 * 1024;

/**
 * Downloads into a file; what is written stays there, whatever came of it.
 * @param ca PEM of all certificates that are trusted, where not only the usual ones are
 * @throws where the file cannot be written
 */
export async function download(
  request: DownloadRequest,
  ca: string | undefined,
): Promise<DownloadResult> {
  const { silenceMaxMs } = request;
  const file = await open(request.into, "w", 0o600);
  const silence = new AbortController();
  let timer = setTimeout(() => silence.abort(), silenceMaxMs);
  const heard = (): void => {
    clearTimeout(timer);
    timer = setTimeout(() => silence.abort(), silenceMaxMs);
  };
  const signal = AbortSignal.any([
    silence.signal,
    request.signal,
    AbortSignal.timeout(WHOLE_MAX_MS),
  ]);
  try {
    let answer: Response;
    let bytes = 0;
    try {
      answer = await fetchAddress(request, { signal }, ca);
    } catch (error) {
      return { fault: signal.aborted ? "timeout" : fetchFaultOf(error) };
    }
    const announced = answer.headers.get("content-length");
    if (answer.ok && Number(announced) > request.bytesMax) {
      answer.body?.cancel().catch(() => {});
      return { fault: "too_large" };
    }
    const pieces = answer.body?.getReader();
    for (;;) {
      let piece: Awaited<ReturnType<NonNullable<typeof pieces>["read"]>> | undefined;
      try {
        heard();
        piece = await pieces?.read();
      } catch {
        return { fault: signal.aborted ? "timeout" : "broken" };
      }
      if (piece === undefined || piece.done) break;
      bytes += piece.value.byteLength;
      if (bytes > (answer.ok ? request.bytesMax : REFUSAL_BYTES_MAX)) {
        pieces?.cancel().catch(() => {});
        if (answer.ok) return { fault: "too_large" };
        break;
      }
      await file.appendFile(piece.value);
    }
    if (answer.status === 200 && announced !== null && Number(announced) !== bytes) {
      return { fault: "broken" };
    }
    return { status: answer.status, headers: headersOf(answer.headers), bytes };
  } finally {
    clearTimeout(timer);
    await file.close();
  }
}

function headersOf(headers: Headers): DownloadHeaders {
  return {
    etag: headers.get("etag"),
    "last-modified": headers.get("last-modified"),
    location: headers.get("location"),
    "retry-after": headers.get("retry-after"),
    "content-type": headers.get("content-type"),
  };
}
