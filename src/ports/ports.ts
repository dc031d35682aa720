import { type Clock, systemClock } from "./clock.ts";
import { type Log, type LogLevel, systemLog } from "./log.ts";
import { type Random, systemRandom } from "./random.ts";

/** All that the appliance takes from the outside world. Tests pass their own. */
export interface Ports {
  clock: Clock;
  random: Random;
  log: Log;
}

export function systemPorts(logLevel: LogLevel): Ports {
  return { clock: systemClock, random: systemRandom, log: systemLog(logLevel) };
}
