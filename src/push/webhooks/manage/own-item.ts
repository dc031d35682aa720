/** A webhook or an alert of an organization; another's is not found. */
export interface OwnItem {
  organizationId: number;
  id: number;
}
