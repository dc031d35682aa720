import { LRUCache } from "lru-cache";
import type { Clock } from "../../ports/clock.ts";
import type { Network } from "../../ports/network.ts";
import { readTargetUrl, type TargetGuard } from "../../values/network/target-guard.ts";
import { type ClientMetadata, readClientDocument } from "./client-metadata.ts";

/** Clients that are described by a document at the address that is their id. */

const KEPT_MS = 60 * 60 * 1000;
const DOCUMENTS_MAX = 1_000;

/** Reads what an https address of the public internet serves; null if that fails. */
export type ReadDocument = (address: string) => Promise<Uint8Array | null>;

/** Why a document describes no client: it cannot be read from here, or it says something else. */
export type DocumentFault = "unreachable" | "document";

export function createClientDocuments(clock: Clock, readDocument: ReadDocument) {
  const documents = new LRUCache<string, { client: ClientMetadata; readAt: number }>({
    max: DOCUMENTS_MAX,
  });
  let isReachable = false;

  return {
    /**
     * The client with an id. Its document is read again after an hour; while that fails, a well-known client
     * is what this program knows of it, and any other is unknown.
     */
    async client(id: string): Promise<ClientMetadata | DocumentFault> {
      const readAt = clock.now();
      const kept = documents.get(id);
      if (kept !== undefined && readAt - kept.readAt < KEPT_MS) return kept.client;
      const json = await readDocument(id);
      if (json === null) return KNOWN_CLIENTS.get(id) ?? "unreachable";
      const client = readClientDocument(id, json);
      if (client === null) return "document";
      documents.set(id, { client, readAt });
      return client;
    },

    /** Finds out whether documents can be read from here, with those of well-known clients. */
    async probe(): Promise<void> {
      for (const id of KNOWN_CLIENTS.keys()) {
        isReachable = (await readDocument(id)) !== null;
        if (isReachable) return;
      }
    },

    /** Whether clients may be told to use documents: until the probe has read one, they register instead. */
    isReachable: (): boolean => isReachable,
  };
}

/**
 * Well-known clients by id, as their documents described them in September 2026: used where the document
 * cannot be read, as in a closed network.
 */
const KNOWN_CLIENTS: ReadonlyMap<string, ClientMetadata> = new Map([
  [
    "https://claude.ai/oauth/mcp-oauth-client-metadata",
    { name: "Claude", redirectUris: ["https://claude.ai/api/mcp/auth_callback"] },
  ],
  [
    "https://claude.ai/oauth/claude-code-client-metadata",
    {
      name: "Claude Code",
      redirectUris: ["http://localhost/callback", "http://127.0.0.1/callback"],
    },
  ],
  [
    "https://chatgpt.com/oauth/client.json",
    { name: "ChatGPT", redirectUris: ["https://chatgpt.com/connector_platform_oauth_redirect"] },
  ],
  [
    "https://chatgpt.com/oauth/codex/client.json",
    { name: "Codex", redirectUris: ["http://127.0.0.1/callback", "http://localhost/callback"] },
  ],
  [
    "https://vscode.dev/oauth/client-metadata.json",
    {
      name: "Visual Studio Code",
      redirectUris: ["http://127.0.0.1:33418/", "https://vscode.dev/redirect"],
    },
  ],
  [
    "https://zed.dev/oauth/client-metadata.json",
    { name: "Zed", redirectUris: ["http://127.0.0.1/callback"] },
  ],
]);

const GET_MAX_MS = 5_000;

/**
 * Reads an https address chosen by somebody else, under the same rules as webhook receivers: public
 * addresses only, each checked before connecting, and no redirects. Null unless it answers 200 within the
 * limits.
 * @param limits.accept media types, as in the `Accept` header
 */
export function createGetGuarded(
  guard: TargetGuard,
  network: Pick<Network, "get">,
  limits: { accept: string; bytesMax: number },
): (address: string) => Promise<Uint8Array | null> {
  const { accept, bytesMax } = limits;
  return async (given) => {
    const target = readTargetUrl(given);
    if ("fault" in target) return null;
    const { host, port, authority, path } = target.value;
    const resolution = await guard(target.value, GET_MAX_MS);
    if (!resolution.ok) return null;
    for (const address of resolution.addresses) {
      const got = await network.get({
        isSecure: true,
        address,
        port,
        host,
        authority,
        path,
        headers: { accept, "user-agent": "Kanalog/1" },
        timeoutMs: GET_MAX_MS,
        bytesMax,
      });
      if ("fault" in got && got.fault === "unreachable") continue;
      return "body" in got && got.status === 200 ? got.body : null;
    }
    return null;
  };
}
