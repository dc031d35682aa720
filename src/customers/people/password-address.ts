/** Address of a one-time link for choosing a password. */
export function passwordAddress(baseAddress: string, token: string): string {
  return `${baseAddress}/account/choose-password/?token=${token}`;
}
