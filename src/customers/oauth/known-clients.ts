import type { ClientMetadata } from "./client-metadata.ts";

/**
 * Well-known clients by id, as their documents described them in September 2026: used where the document
 * cannot be read, as in a closed network.
 */
export const KNOWN_CLIENTS: ReadonlyMap<string, ClientMetadata> = new Map([
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
