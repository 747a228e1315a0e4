/** How many charges are what, and the cents that are left. */
export type Summary = {
  preauthorized: number;
  approved: number;
  declined: number;
  undone: number;
  canceled: number;
  /** Voids of references never seen. */
  tombstones: number;
  /** What is left of all approved charges. */
  approvedCents: number;
};
