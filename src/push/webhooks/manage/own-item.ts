/** Identifies a webhook or an alert within an organization; another organization's is not found. */
export interface OwnItem {
  organizationId: number;
  id: number;
}
