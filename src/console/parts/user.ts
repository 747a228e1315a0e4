/** What a user is there for; what each may is said by screens and actions. */
export const ROLES = ['viewer', 'support', 'finance', 'operator', 'admin'] as const;
export type Role = (typeof ROLES)[number];

/** Those who give roles: on the operator's pages, and on a merchant's, which has no operators. */
export const ROLES_TO_GIVE = {
  operator: ROLES,
  merchant: ['viewer', 'support', 'finance', 'admin'],
} as const satisfies Record<string, readonly Role[]>;

/** Of a merchant, or of the operator, who sees all of them. */
export type User = {
  readonly userId: string;
  readonly name: string;
  readonly role: Role;
  /** Null: a user of the operator. */
  readonly merchantId: string | null;
};

/** As roles are shown. */
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

/** Whether a user may look at things of a merchant. */
export function mayEnter(user: User, merchantId: string): boolean {
  return user.merchantId === null || user.merchantId === merchantId;
}
