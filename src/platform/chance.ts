import { randomBytes, randomUUID, randomUUIDv7 } from 'node:crypto';

/** UUID version 7: new rows stand together at the end of an index. */
export function newId(): string {
  return randomUUIDv7();
}

/** 32 random bits: tells attempts apart, or draws lots. */
export function newTry(): Buffer {
  return randomBytes(4);
}

/** UUID version 4 (122 random bits): a secret that lives for minutes, for clients that expect a UUID. */
export function newSecretId(): string {
  return randomUUID();
}

/** 256 random bits in base64url (43 characters). */
export function newSecret(): string {
  return randomBytes(32).toString('base64url');
}

/** 128 random bits in hexadecimal: the address of a page that nobody can guess. */
export function newPageKey(): string {
  return randomBytes(16).toString('hex');
}

/** Trace and span ids (W3C Trace Context). They are not secret. */
export function newTraceId(): string {
  return randomBytes(16).toString('hex');
}
export function newSpanId(): string {
  return randomBytes(8).toString('hex');
}
