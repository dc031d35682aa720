/** Posts JSON text and returns the response, whatever its status. @throws if there is none */
export type PostText = (
  headers: Record<string, string>,
  body: string,
) => Promise<{ status: number; body: string }>;

/** Posts to one address with an API key. Also runs in Node.js, in the bundle for Claude Desktop. */
export function postTextTo(address: string, key: string): PostText {
  return async (headers, body) => {
    const answer = await fetch(address, {
      method: "POST",
      headers: {
        authorization: `Bearer ${key}`,
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        ...headers,
      },
      body,
    });
    return { status: answer.status, body: await answer.text() };
  };
}
