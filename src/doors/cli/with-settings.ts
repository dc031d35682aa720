import { type Environment, SETTINGS } from "../../config.ts";
import { nearestCodes } from "../../values/fold-text.ts";
import type { CommandContext } from "./command-context.ts";

/**
 * The environment with options in place of settings; options that were not given change nothing. An option
 * also removes the setting's `_FILE` variable, because giving both is an error.
 */
export function withSettings(environment: Environment, given: Environment): Environment {
  const options = Object.entries(given).filter(([, text]) => text !== undefined);
  const files = options.map(([name]) => [`${name}_FILE`, undefined]);
  return { ...environment, ...Object.fromEntries([...options, ...files]) };
}

const PREFIX = "KANALOG_";
/** Prefix of the variables that only tests read. */
const TEST_PREFIX = "KANALOG_TEST_";

const NAMES = Object.keys(SETTINGS).flatMap((name) => [name, `${name}_FILE`]);
const ENTRIES = NAMES.map((name) => {
  const slug = name.slice(PREFIX.length).toLowerCase();
  return { slug, name: slug };
});

/** Warns of each variable that is named like a setting but is none: a misspelt one would go unnoticed. */
export function warnOfUnknownSettings({ environment, output }: CommandContext): void {
  for (const [given, value] of Object.entries(environment)) {
    const isOurs = given.startsWith(PREFIX) && !given.startsWith(TEST_PREFIX);
    if (!isOurs || !value || NAMES.includes(given)) continue;
    const nearest = nearestCodes(given.slice(PREFIX.length), ENTRIES).map(
      (slug) => PREFIX + slug.toUpperCase(),
    );
    const meant = nearest.length === 0 ? "." : `; did you mean ${nearest.join(" or ")}?`;
    output.note(`Warning: ${given} is not a setting${meant}`);
  }
}
