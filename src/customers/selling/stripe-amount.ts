/**
 * Currencies whose minor units Stripe counts differently than ISO 4217, and by which factor
 * (docs.stripe.com/currencies): it has hundredths of the króna and of the shilling, and none of the ariary.
 */
const FACTORS: Readonly<Record<string, number>> = { ISK: 100, UGX: 100, MGA: 1 / 100 };

/** A price in ISO 4217's minor units as Stripe counts it. */
export function stripeAmount(price: number, currency: string): number {
  return price * (FACTORS[currency.toUpperCase()] ?? 1);
}

/** An amount as Stripe counts it in ISO 4217's minor units. */
export function ownAmount(amount: number, currency: string): number {
  return amount / (FACTORS[currency.toUpperCase()] ?? 1);
}
