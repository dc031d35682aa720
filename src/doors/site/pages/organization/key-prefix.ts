import { GRANT_PREFIX } from "../../../../customers/oauth/token-model.ts";
import type { SitePage } from "../../site-pages.ts";

/** Newest keys to examine; a person hardly ever has more assistants than this. */
const KEYS_EXAMINED = 100;

/**
 * `/account/keys/prefix/`: prefix of the visitor's newest working key, for the snippets of `/docs/`, and whether
 * it was used, for the page of a new key. JSON `{prefix, isUsed}`; null for strangers and somebody without a key.
 */
export const keyPrefixPage: SitePage = {
  path: "/account/keys/prefix/",
  access: "anybody",
  async show({ membership, nowMs }, { keys, services }) {
    if (membership === null) return { kind: "json", value: { prefix: null, isUsed: false } };
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
    const isUsed = newest !== undefined && services.keyUse.lastUsedAt(newest) !== null;
    return { kind: "json", value: { prefix: newest?.prefix ?? null, isUsed } };
  },
};
