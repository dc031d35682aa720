import type { Environment } from "../../config.ts";

/** The environment with options in the place of settings; one that was not given changes nothing. */
export function withSettings(environment: Environment, given: Environment): Environment {
  const options = Object.entries(given).filter(([, text]) => text !== undefined);
  const files = options.map(([name]) => [`${name}_FILE`, undefined]);
  return { ...environment, ...Object.fromEntries([...options, ...files]) };
}
