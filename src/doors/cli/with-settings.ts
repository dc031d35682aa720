import type { Environment } from "../../config.ts";

/**
 * The environment with options in place of settings; options that were not given change nothing. An option
 * also removes the setting's `_FILE` variable, because giving both is an error.
 */
export function withSettings(environment: Environment, given: Environment): Environment {
  const options = Object.entries(given).filter(([, text]) => text !== undefined);
  const files = options.map(([name]) => [`${name}_FILE`, undefined]);
  return { ...environment, ...Object.fromEntries([...options, ...files]) };
}
