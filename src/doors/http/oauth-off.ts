import { oauthOffText } from "../../customers/oauth/server-metadata.ts";

/** Addresses at which clients look for a way to sign in, with the MCP server's path behind or without. */
const LOOKED_AT = /^\/(?:register\/?$|\.well-known\/(?:oauth-|openid-configuration))/;

/**
 * The body of the 404 where a client looks for a way to sign in and there is none: an
 * error of OAuth, whose words clients show to the person who connects. Null for any other path.
 * @param address the appliance's own, without a slash at its end
 */
export function oauthOffBody(path: string, address: string): object | null {
  if (!LOOKED_AT.test(path)) return null;
  return { error: "invalid_request", error_description: oauthOffText(address) };
}
