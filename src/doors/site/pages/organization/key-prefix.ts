import { GRANT_PREFIX } from "../../../../customers/oauth/oauth-token.ts";
import type { SitePage } from "../../site-pages.ts";

/**
 * `/account/keys/prefix/`: how the visitor's newest working key begins, for the snippets of `/docs/`.
 * JSON `{prefix}`, which is null for a stranger and for somebody without a key.
 */
export const keyPrefixPage: SitePage = {
  path: "/account/keys/prefix/",
  access: "anybody",
  async show({ membership, nowMs }, { keys }) {
    if (membership === null) return { kind: "json", value: { prefix: null } };
    const { member, organization } = membership;
    const own = (await keys.keys(organization.id)).filter(
      // An assistant's access is a key that no person has.
      ({ memberId, prefix, revokedAt, expiresAt }) =>
        prefix !== GRANT_PREFIX &&
        memberId === member.id &&
        revokedAt === null &&
        (expiresAt === null || expiresAt > nowMs),
    );
    return { kind: "json", value: { prefix: own.at(-1)?.prefix ?? null } };
  },
};
