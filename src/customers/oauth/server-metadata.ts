import { SCOPE } from "./token-model.ts";

/** Paths of the OAuth endpoints, below the appliance's address. */
export const OAUTH_PATHS = {
  /** A page of the account site. */
  authorize: "/account/authorize/",
  token: "/oauth/token",
  register: "/oauth/register",
  revoke: "/oauth/revoke",
  /** With a path of the MCP server appended: that spelling's metadata. */
  resourceMetadata: "/.well-known/oauth-protected-resource",
} as const;

/**
 * Message for somebody who tries to connect while OAuth is off: clients display the text of OAuth errors.
 * @param address the appliance's own, without a trailing slash
 */
export function oauthOffText(address: string): string {
  return `Kanalog takes API keys here; make one at ${address}/account/keys/.`;
}

/**
 * Metadata of the authorization server (RFC 8414, section 2).
 * @param issuer the appliance's address
 * @param readsDocuments whether descriptions of clients can be read from here
 */
export function serverMetadata(issuer: string, readsDocuments: boolean): object {
  return {
    issuer,
    authorization_endpoint: issuer + OAUTH_PATHS.authorize,
    token_endpoint: issuer + OAUTH_PATHS.token,
    registration_endpoint: issuer + OAUTH_PATHS.register,
    revocation_endpoint: issuer + OAUTH_PATHS.revoke,
    scopes_supported: [SCOPE],
    response_types_supported: ["code"],
    response_modes_supported: ["query"],
    grant_types_supported: ["authorization_code", "refresh_token"],
    token_endpoint_auth_methods_supported: ["none"],
    revocation_endpoint_auth_methods_supported: ["none"],
    code_challenge_methods_supported: ["S256"],
    authorization_response_iss_parameter_supported: true,
    client_id_metadata_document_supported: readsDocuments,
    service_documentation: `${issuer}/docs/mcp/`,
  };
}

/**
 * Metadata of the MCP server, the protected resource (RFC 9728, section 2).
 * @param path as the client spells it, because it compares its own address with this one
 */
export function resourceMetadata(issuer: string, path: string): object {
  return {
    resource: issuer + path,
    authorization_servers: [issuer],
    bearer_methods_supported: ["header"],
    scopes_supported: [SCOPE],
    resource_name: "Kanalog",
    resource_documentation: `${issuer}/docs/mcp/`,
  };
}
