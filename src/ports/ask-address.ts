/** A request for an answer with its headers, of an address that the operator configured or typed. */
export interface AskRequest {
  method: "GET" | "POST" | "OPTIONS";
  url: string;
  headers?: Record<string, string>;
  body?: string;
}

export type AskResult =
  | { status: number; header(name: string): string | null; body: string }
  /** Why there is no answer, such as `ECONNREFUSED`. */
  | { fault: string };

const TIMEOUT_MS = 10_000;
const BYTES_MAX = 64 * 1024;

/** Sends it without following redirects, and reads the beginning of the answer. Never throws. */
export async function askAddress({ url, ...init }: AskRequest): Promise<AskResult> {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  try {
    const answer = await fetch(url, {
      ...init,
      ...{ signal, redirect: "manual", keepalive: false, proxy: false },
    });
    const chunks: Uint8Array[] = [];
    let size = 0;
    // Leaving the loop early closes the connection.
    for await (const chunk of answer.body ?? []) {
      chunks.push(chunk);
      size += chunk.byteLength;
      if (size >= BYTES_MAX) break;
    }
    const body = new TextDecoder().decode(Buffer.concat(chunks).subarray(0, BYTES_MAX));
    return { status: answer.status, header: (name) => answer.headers.get(name), body };
  } catch (error) {
    if (signal.aborted) return { fault: "timeout" };
    const { code, message } = error as { code?: unknown; message?: unknown };
    return { fault: typeof code === "string" ? code : String(message ?? error) };
  }
}
