/** Somebody who can sign in. */
export interface Person {
  id: string;
  name: string;
  email: string;
  isStaff: boolean;
}
