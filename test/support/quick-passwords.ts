/**
 * A password is hashed slowly by design, a tenth of a second of the processor each; tests within this
 * process hash some hundred, by the same algorithm at its lowest cost. The real process does not.
 */
const { hash } = Bun.password;
Bun.password.hash = (password) =>
  hash(password, { algorithm: "argon2id", memoryCost: 8, timeCost: 1 });
