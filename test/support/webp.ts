/** A lossless WebP of one colour: five prefix codes of one symbol each, so no bits per pixel. */
export function webp(width: number, height: number): Buffer {
  const bytes = Buffer.from("UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA==", "base64");
  bytes.writeUInt32LE(((width - 1) | ((height - 1) << 14) | (1 << 28)) >>> 0, 21);
  return bytes;
}
