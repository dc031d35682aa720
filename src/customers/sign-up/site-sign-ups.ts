import type { Calls } from "../../db/operations.ts";
import type { Ports } from "../../ports/ports.ts";
import { createKeyToken } from "../keys/key-token.ts";
import type { AuthSettings } from "../people/auth.ts";
import type { HashingQueue } from "../people/hashing-queue.ts";
import type { SignUp, signUpOperations } from "./sign-up.ts";

export type SiteSignUps = ReturnType<typeof createSiteSignUps>;

/** Accounts created by visitors, on the people's thread. */
export function createSiteSignUps(
  people: Calls<typeof signUpOperations>,
  settings: AuthSettings,
  hashing: HashingQueue,
  { clock, random }: Pick<Ports, "clock" | "random">,
) {
  return {
    begin: people.beginSignUp,

    opens: people.opensSignUp,

    /**
     * Creates the account. @returns its first key, shown only now; null if the link is no longer valid
     */
    async end({ network, ...input }: SignUp & { network: string }) {
      const keyToken = createKeyToken("read_only", random);
      const personId = random.uuid(clock.now());
      const credentialId = random.uuid(clock.now());
      const made = { settings, keyToken, personId, credentialId };
      const isMade = await hashing.run("sign-up", network, () =>
        people.endSignUp({ ...input, ...made }),
      );
      return isMade ? { keyToken } : null;
    },
  };
}
