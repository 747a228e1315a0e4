/**
 * The run-time role's rights on data keys. It makes, wraps and retires them; only a function of the
 * owner deletes them, those that are retired and of which nothing is left (migration 0028).
 */
export const KEY_TABLE_RIGHTS = { data_keys: 'select, insert, update' } as const;
