import { GRANT_PREFIX } from "../../../../customers/oauth/oauth-token.ts";
import type { SitePage } from "../../site-pages.ts";

/** Newest keys to examine; a person hardly ever has more assistants than this. */
const KEYS_EXAMINED = 100;

/**
 * `/account/keys/prefix/`: prefix of the visitor's newest working key, for the snippets of `/docs/`. JSON
 * `{prefix}`, null for strangers and for somebody without a key.
 */
export const keyPrefixPage: SitePage = {
  path: "/account/keys/prefix/",
  access: "anybody",
  async show({ membership, nowMs }, { keys }) {
    if (membership === null) return { kind: "json", value: { prefix: null } };
    const { member, organization } = membership;
    const own = await keys.newest({
      organizationId: organization.id,
      memberId: member.id,
      areEnded: false,
      nowMs,
      before: null,
      limit: KEYS_EXAMINED,
    });
    // An assistant's access is a key that no person knows.
    const newest = own.find(({ prefix }) => prefix !== GRANT_PREFIX);
    return { kind: "json", value: { prefix: newest?.prefix ?? null } };
  },
};
