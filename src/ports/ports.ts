import { randomBytes } from "node:crypto";
import { type Clock, systemClock } from "./clock.ts";
import { type Log, type LogLevel, systemLog } from "./log.ts";
import { type Mail, systemMail } from "./mail.ts";
import { inFrame, type MailBrand } from "./mail-frame.ts";
import { type Network, systemNetwork } from "./network.ts";
import { type System, systemSystem } from "./system.ts";

export interface Random {
  bytes(length: number): Uint8Array;
  uuid(nowMs: number): string;
}

export const systemRandom: Random = {
  bytes: (length) => randomBytes(length),
  uuid: (nowMs) => Bun.randomUUIDv7("hex", nowMs),
};

/** Everything the appliance needs from the outside world. Tests pass their own. */
export interface Ports {
  clock: Clock;
  random: Random;
  log: Log;
  network: Network;
  /** Null if no mail server is configured. */
  mail: Mail | null;
  system: System;
}

interface PortSettings extends MailBrand {
  logLevel: LogLevel;
  webhookCa: string | null;
  smtpUrl: string | null;
  mailFrom: string;
}

/**
 * The ports of a real process.
 * @param worker as for `systemLog`
 */
export function systemPorts(
  { logLevel, webhookCa, smtpUrl, mailFrom, ...brand }: PortSettings,
  worker: number | null = null,
): Ports {
  return {
    clock: systemClock,
    random: systemRandom,
    log: systemLog(logLevel, worker),
    network: systemNetwork({ ca: webhookCa }),
    mail: smtpUrl === null ? null : inFrame(systemMail(smtpUrl, mailFrom), brand),
    system: systemSystem(),
  };
}
