/** In percent with two digits, rounded half up in integer arithmetic. */
export function inPercent(part: number, whole: number): number | null {
  if (whole === 0) return null;
  const [top, bottom] = [BigInt(part) * 20_000n + BigInt(whole), BigInt(whole) * 2n];
  const rest = ((top % bottom) + bottom) % bottom;
  return Number((top - rest) / bottom) / 100;
}
