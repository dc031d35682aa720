import { createMaxWorld } from "./max-world.ts";
import { createPullWorld } from "./pull-world.ts";
import { createTelegramWorld } from "./telegram-world.ts";

/** Worlds by kind of source. */
export const SOURCE_WORLDS = {
  pull: createPullWorld,
  telegram: createTelegramWorld,
  max: createMaxWorld,
};
