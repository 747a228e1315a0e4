/** Who reads the audit log, and is led to it. */
export const MAY_SEE_AUDIT = { roles: ['operator', 'admin'], of: 'operator' } as const;
