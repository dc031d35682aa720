import { oauthOffText } from "../../customers/oauth/server-metadata.ts";

/** Paths at which clients look for a way to sign in, with or without the MCP server's path appended. */
const LOOKED_AT = /^\/(?:register\/?$|\.well-known\/(?:oauth-|openid-configuration))/;

/**
 * Body of the 404 for a client looking for OAuth while that is off: an OAuth error, whose text clients show
 * to the person. Null for any other path.
 * @param address the appliance's own, without a trailing slash
 */
export function oauthOffBody(path: string, address: string): object | null {
  if (!LOOKED_AT.test(path)) return null;
  return { error: "invalid_request", error_description: oauthOffText(address) };
}
