/**
 * Hashing a password is slow by design, a tenth of a second of processor time. Tests within this process
 * hash some hundred, with the same algorithm at its lowest cost; the real process does not.
 */
const { hash } = Bun.password;
Bun.password.hash = (password) =>
  hash(password, { algorithm: "argon2id", memoryCost: 8, timeCost: 1 });
