import { open } from "node:fs/promises";
import { type Destination, type FetchFault, fetchAddress, fetchFaultOf } from "./fetch-address.ts";
import type { LeastRate } from "./own-work.ts";

/** One GET to exactly this address, with the body written to a file. */
export interface DownloadRequest extends Destination {
  /** File to create for the body, which is stored as sent: compressed if it arrives compressed. */
  into: string;
  /** Least rate from the request on, so that a server that is silent or sends byte by byte is given up. */
  leastRate: LeastRate;
  bytesMax: number;
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
export type DownloadFault = "timeout" | "slow" | FetchFault | "too_large";

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
  const rate = watchRate(request.leastRate);
  const signal = AbortSignal.any([rate.signal, request.signal]);
  const faultOf = (fault: FetchFault): DownloadResult => {
    if (rate.signal.aborted) return { fault: "slow" };
    return { fault: signal.aborted ? "timeout" : fault };
  };
  try {
    const answer = await fetchAddress(request, { signal }, ca).catch(fetchFaultOf);
    if (typeof answer === "string") return faultOf(answer);
    const announced = answer.headers.get("content-length");
    if (answer.ok && Number(announced) > request.bytesMax) return { fault: "too_large" };
    const bytesMax = answer.ok ? request.bytesMax : REFUSAL_BYTES_MAX;
    const pieces = answer.body?.getReader();
    let bytes = 0;
    for (;;) {
      const piece = await pieces?.read().catch(() => null);
      if (piece === null) return faultOf("broken");
      if (piece === undefined || piece.done) break;
      bytes += piece.value.byteLength;
      rate.add(piece.value.byteLength);
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
    rate.end();
    await file.close();
  }
}

/** How often the rate is looked at within the time over which it is measured. */
const LOOKS = 12;

/** A signal that aborts once fewer bytes arrived than the rate demands, or when watching ends. */
function watchRate({ kilobytesPerS, overMs }: LeastRate) {
  const controller = new AbortController();
  const leastBytes = (kilobytesPerS * 1024 * overMs) / 1000;
  /** Bytes between two looks, latest first. */
  let pieces: number[] = [0];
  const timer = setInterval(() => {
    const bytes = pieces.reduce((sum, one) => sum + one, 0);
    if (pieces.length === LOOKS && bytes < leastBytes) controller.abort();
    pieces = [0, ...pieces].slice(0, LOOKS);
  }, overMs / LOOKS);
  return {
    signal: controller.signal,
    add(bytes: number): void {
      pieces[0] = (pieces[0] ?? 0) + bytes;
    },
    end(): void {
      clearInterval(timer);
      controller.abort();
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
