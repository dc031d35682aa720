/** Somebody who can sign in. */
export interface Person {
  id: string;
  name: string;
  email: string;
  isStaff: boolean;
  /**
   * Whether it is known that who signs in as them is them. Else whoever invited them first may have
   * chosen their password.
   */
  isVerified: boolean;
}
