import { timingSafeEqual } from "node:crypto";
import type { Clock } from "../../../ports/clock.ts";
import type { Ports } from "../../../ports/ports.ts";
import type { Random } from "../../../ports/random.ts";

const VALID_MS = 30 * 60 * 1000;
const TOKEN_BYTES = 24;

/** The token of the set-up address, the same for all workers of an appliance. */
export interface SetUpToken {
  token: string;
  endsAt: number;
}

export function setUpToken(clock: Clock, random: Random): SetUpToken {
  const token = Buffer.from(random.bytes(TOKEN_BYTES)).toString("base64url");
  return { token, endsAt: clock.now() + VALID_MS };
}

export type SetUp = ReturnType<typeof createSetUp>;

/**
 * The one-time address by which an empty appliance gets its first person: valid for 30 minutes from
 * the start, while nobody has a password; people who were only invited do not close it.
 */
export function createSetUp(
  isEmpty: () => Promise<boolean>,
  { clock, random }: Pick<Ports, "clock" | "random">,
  { token, endsAt }: SetUpToken = setUpToken(clock, random),
) {
  const isOpen = async (): Promise<boolean> => clock.now() < endsAt && (await isEmpty());
  return {
    /** Whether nobody can sign in yet. */
    isNeeded: isEmpty,
    /** Null where somebody can sign in already, or the time is over. */
    path: async (): Promise<string | null> =>
      (await isOpen()) ? `/account/set-up/?token=${token}` : null,
    async isToken(given: string): Promise<boolean> {
      const [one, other] = [Buffer.from(given), Buffer.from(token)];
      return one.length === other.length && timingSafeEqual(one, other) && (await isOpen());
    },
  };
}
