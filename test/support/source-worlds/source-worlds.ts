import { createMaxWorld } from "./max-world.ts";
import { createPullWorld } from "./pull-world.ts";
import { createTelegramWorld } from "./telegram-world.ts";

/** The worlds by the kinds of their sources. */
export const SOURCE_WORLDS = {
  pull: createPullWorld,
  telegram: createTelegramWorld,
  max: createMaxWorld,
};
