/** Somebody who can sign in. */
export interface Person {
  id: string;
  name: string;
  email: string;
  isStaff: boolean;
  /**
   * Whether this person is known to own the address. If not, whoever invited them first may have chosen
   * their password.
   */
  isVerified: boolean;
}
