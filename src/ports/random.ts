import { randomBytes } from "node:crypto";

export interface Random {
  bytes(length: number): Uint8Array;
  uuid(nowMs: number): string;
}

export const systemRandom: Random = {
  bytes: (length) => randomBytes(length),
  uuid: (nowMs) => Bun.randomUUIDv7("hex", nowMs),
};
