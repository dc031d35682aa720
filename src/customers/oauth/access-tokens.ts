import type { AccessTokens } from "../keys/keys.ts";
import { selectAccessHolderNow } from "./oauth.store.ts";
import { isOAuthToken } from "./oauth-token.ts";

/** OAuth access tokens, each of which stands for the key of its grant. */
export const accessTokens: AccessTokens = {
  isToken: (text) => isOAuthToken("access", text),
  selectHolderNow: selectAccessHolderNow,
};
