import { createHmac } from "node:crypto";
import type { Clock } from "../../../ports/clock.ts";
import type { Random } from "../../../ports/ports.ts";
import { isSameToken } from "./csrf.ts";

const VALID_MS = 30 * 60 * 1000;
const KEY_BYTES = 24;
/** Length of a signature in characters. */
const SIGNATURE_LENGTH = 43;

/** What the set-up token is made from, the same for all workers of an appliance. */
export interface SetUpToken {
  /** Key that signs the token. */
  key: string;
  endsAt: number;
}

export function setUpToken(clock: Clock, random: Random): SetUpToken {
  const key = Buffer.from(random.bytes(KEY_BYTES)).toString("base64url");
  return { key, endsAt: clock.now() + VALID_MS };
}

export type SetUp = ReturnType<typeof createSetUp>;

/**
 * The one-time address at which an empty appliance gets its first person: valid for 30 minutes from the
 * start, while nobody has a password; people who were only invited do not count.
 * @param commonKey shared by all nodes of a cluster, each of which accepts the others' addresses; otherwise
 * null
 */
export function createSetUp(
  isEmpty: () => Promise<boolean>,
  clock: Clock,
  { key, endsAt }: SetUpToken,
  commonKey: string | null,
) {
  const isOpen = async (end: number): Promise<boolean> => clock.now() < end && (await isEmpty());
  /** A token: a signature, and the signed expiry. */
  const tokenUntil = (end: number): string =>
    createHmac("sha256", commonKey ?? key)
      .update(`kanalog set-up ${end}`)
      .digest("base64url") + end.toString(36);
  return {
    /** Whether nobody can sign in yet. */
    isNeeded: isEmpty,
    /** The path to print; null if somebody can already sign in, or the time is over. */
    path: async (): Promise<string | null> =>
      (await isOpen(endsAt)) ? `/account/set-up/?token=${tokenUntil(endsAt)}` : null,
    async isToken(given: string): Promise<boolean> {
      const end = Number.parseInt(given.slice(SIGNATURE_LENGTH), 36);
      return isSameToken(given, tokenUntil(end)) && (await isOpen(end));
    },
  };
}
