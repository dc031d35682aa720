import { createCipheriv, createDecipheriv, hkdfSync } from "node:crypto";

export type SecretBox = ReturnType<typeof createSecretBox>;

type Bytes = { bytes(length: number): Uint8Array };

const CIPHER = "aes-256-gcm";
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const SECRET_BYTES = 32;

/**
 * Creates signing secrets and encrypts them with a key that is kept outside the database file. A sealed
 * secret consists of nonce, tag and ciphertext.
 * @param passphrase value of KANALOG_SECRET
 */
export function createSecretBox(passphrase: string, random: Bytes) {
  const key = Buffer.from(hkdfSync("sha256", passphrase, "", "kanalog webhook secrets", KEY_BYTES));

  return {
    /** `whsec_` followed by 32 bytes in base64url; the HMAC key is the whole text. */
    create: (): string => `whsec_${Buffer.from(random.bytes(SECRET_BYTES)).toString("base64url")}`,

    seal(secret: string): Uint8Array {
      const nonce = random.bytes(NONCE_BYTES);
      const cipher = createCipheriv(CIPHER, key, nonce);
      const ciphertext = Buffer.concat([cipher.update(secret, "utf8"), cipher.final()]);
      return Buffer.concat([nonce, cipher.getAuthTag(), ciphertext]);
    },

    /** Null if it was sealed with another key. */
    open(sealed: Uint8Array): string | null {
      try {
        const decipher = createDecipheriv(CIPHER, key, sealed.subarray(0, NONCE_BYTES));
        decipher.setAuthTag(sealed.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
        const ciphertext = sealed.subarray(NONCE_BYTES + TAG_BYTES);
        return Buffer.concat([decipher.update(ciphertext), decipher.final()]).toString("utf8");
      } catch {
        return null;
      }
    },
  };
}
