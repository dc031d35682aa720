/** The result of a GET: the answer, or why there is none. */
export type Got = { status: number; body: string } | { fault: string };

/** Asks this machine's own servers: past every proxy, and without following redirects. Never throws. */
export async function getText(address: string, timeoutMs: number): Promise<Got> {
  try {
    const answer = await fetch(address, {
      redirect: "manual",
      proxy: false,
      keepalive: false,
      signal: AbortSignal.timeout(timeoutMs),
    });
    return { status: answer.status, body: await answer.text() };
  } catch (error) {
    const { code, message } = error as { code?: unknown; message?: unknown };
    return { fault: typeof code === "string" ? code : String(message ?? error) };
  }
}
