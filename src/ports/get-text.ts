export type TextResult = { status: number; body: string } | { fault: string };

/** Queries this machine's own servers: bypasses proxies and follows no redirects. Never throws. */
export async function getText(address: string, timeoutMs: number): Promise<TextResult> {
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
