import { open } from "node:fs/promises";
import { type Destination, type FetchFault, fetchAddress, fetchFaultOf } from "./fetch-address.ts";

/** One GET to exactly this address, with the body written to a file. */
export interface DownloadRequest extends Destination {
  /** File to create for the body, which is stored as sent: compressed if it arrives compressed. */
  into: string;
  /** Time limit for the response head, and for each further piece of the body. */
  silenceMaxMs: number;
  bytesMax: number;
  /** Aborts the request, whose result is then a `timeout`. */
  signal: AbortSignal;
}

export type DownloadResult =
  | { status: number; headers: DownloadHeaders; bytes: number }
  | { fault: DownloadFault };

/** Response headers that matter to sources; null for those that are missing. */
export type DownloadHeaders = Record<
  "etag" | "last-modified" | "location" | "retry-after" | "content-type",
  string | null
>;

/** Also `broken` if the body ended before its announced length. */
export type DownloadFault = "timeout" | FetchFault | "too_large";

/** Limit for the whole download, so that a file arriving byte by byte ends some day. */
const WHOLE_MAX_MS = 6 * 60 * 60 * 1000;
/** Bytes to read of a response that is not the file, such as an error page. */
const REFUSAL_BYTES_MAX = 64 * 1024;

/**
 * Downloads into a file, which stays even if the download fails.
 * @param ca PEM of all trusted certificates, if not just the usual ones
 * @throws if the file cannot be written
 */
export async function download(
  request: DownloadRequest,
  ca: string | undefined,
): Promise<DownloadResult> {
  const file = await open(request.into, "w", 0o600);
  const silence = createSilenceLimit(request.silenceMaxMs);
  const signal = AbortSignal.any([
    silence.signal,
    request.signal,
    AbortSignal.timeout(WHOLE_MAX_MS),
  ]);
  const faultOf = (fault: FetchFault): DownloadResult => ({
    fault: signal.aborted ? "timeout" : fault,
  });
  try {
    const answer = await fetchAddress(request, { signal }, ca).catch(fetchFaultOf);
    if (typeof answer === "string") return faultOf(answer);
    const announced = answer.headers.get("content-length");
    if (answer.ok && Number(announced) > request.bytesMax) return { fault: "too_large" };
    const bytesMax = answer.ok ? request.bytesMax : REFUSAL_BYTES_MAX;
    const pieces = answer.body?.getReader();
    let bytes = 0;
    for (;;) {
      silence.restart();
      const piece = await pieces?.read().catch(() => null);
      if (piece === null) return faultOf("broken");
      if (piece === undefined || piece.done) break;
      bytes += piece.value.byteLength;
      if (bytes > bytesMax && answer.ok) return { fault: "too_large" };
      if (bytes > bytesMax) break;
      await file.appendFile(piece.value);
    }
    if (answer.status === 200 && announced !== null && Number(announced) !== bytes) {
      return { fault: "broken" };
    }
    return { status: answer.status, headers: headersOf(answer.headers), bytes };
  } finally {
    // Closes the connection of a body that was not read to its end.
    silence.end();
    await file.close();
  }
}

/** A signal that aborts unless it is restarted in time, or when it ends. */
function createSilenceLimit(maxMs: number) {
  const controller = new AbortController();
  const abort = (): void => controller.abort();
  let timer = setTimeout(abort, maxMs);
  return {
    signal: controller.signal,
    restart(): void {
      clearTimeout(timer);
      timer = setTimeout(abort, maxMs);
    },
    end(): void {
      clearTimeout(timer);
      abort();
    },
  };
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
