export interface Person {
  id: string;
  name: string;
  email: string;
  isStaff: boolean;
  /** Whether they are known to own the address: if not, their inviter may have chosen the password. */
  isVerified: boolean;
}
