export function passwordAddress(baseAddress: string, token: string): string {
  return `${baseAddress}/account/choose-password/?token=${token}`;
}
