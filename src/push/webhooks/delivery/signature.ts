import { createHmac } from "node:crypto";

/**
 * `X-Service-Signature` (specification, section 6): `t=<seconds>,v1=<hex>`, the HMAC-SHA256 of
 * `<seconds>.<raw body>` with each secret's full text as the key. Oldest secret first.
 */
export function signatureHeader(
  body: Uint8Array,
  secrets: readonly string[],
  nowMs: number,
): string {
  const seconds = Math.floor(nowMs / 1000);
  const signatures = secrets.map((secret) =>
    createHmac("sha256", secret).update(`${seconds}.`).update(body).digest("hex"),
  );
  return [`t=${seconds}`, ...signatures.map((signature) => `v1=${signature}`)].join(",");
}
