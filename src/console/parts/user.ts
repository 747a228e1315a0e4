export const ROLES = ['viewer', 'support', 'finance', 'operator', 'admin'] as const;
export type Role = (typeof ROLES)[number];

/** The roles that a user of each side can have. A merchant has no operators. */
export const ROLES_TO_GIVE = {
  operator: ROLES,
  merchant: ['viewer', 'support', 'finance', 'admin'],
} as const satisfies Record<string, readonly Role[]>;

/** A user of a merchant, or of the operator, who sees all merchants. */
export type User = {
  readonly userId: string;
  readonly name: string;
  readonly role: Role;
  /** Null: a user of the operator. */
  readonly merchantId: string | null;
};

export const ROLE_WORDS: Readonly<Record<Role, string>> = {
  viewer: 'Viewer',
  support: 'Support',
  finance: 'Finance',
  operator: 'Operator',
  admin: 'Administrator',
};

export function isRole(text: string): text is Role {
  return (ROLES as readonly string[]).includes(text);
}

export function mayEnter(user: User, merchantId: string): boolean {
  return user.merchantId === null || user.merchantId === merchantId;
}
