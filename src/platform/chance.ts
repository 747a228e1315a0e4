import { randomBytes, randomUUIDv7 } from 'node:crypto';

/** A UUID of version 7, so that new rows stand together at the end of an index. */
export function newId(): string {
  return randomUUIDv7();
}

/** A secret of 256 random bits in base64url (43 characters). */
export function newSecret(): string {
  return randomBytes(32).toString('base64url');
}

/** 128 random bits as 32 hexadecimal digits: for a page that nobody can guess. */
export function newPageKey(): string {
  return randomBytes(16).toString('hex');
}
