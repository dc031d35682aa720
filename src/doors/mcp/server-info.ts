/** The server's description of itself, in both eras of the protocol. */

export const CAPABILITIES = { tools: { listChanged: false } };

export function serverInfo(version: string): { name: string; title: string; version: string } {
  return { name: "kanalog", title: "Kanalog: Channel Data API", version };
}
