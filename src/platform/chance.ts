import { randomBytes, randomUUID, randomUUIDv7 } from 'node:crypto';

/** A UUID of version 7, so that new rows stand together at the end of an index. */
export function newId(): string {
  return randomUUIDv7();
}

/** 32 random bits, which tell one try from another. */
export function newTry(): Buffer {
  return randomBytes(4);
}

/** A UUID of version 4, of 122 random bits: for a secret that lives minutes, where clients keep a UUID. */
export function newSecretId(): string {
  return randomUUID();
}

/** A secret of 256 random bits in base64url (43 characters). */
export function newSecret(): string {
  return randomBytes(32).toString('base64url');
}

/** 128 random bits as 32 hexadecimal digits: for a page that nobody can guess. */
export function newPageKey(): string {
  return randomBytes(16).toString('hex');
}

/** Names of traces and of their spans, as W3C Trace Context has them: they open nothing. */
export function newTraceId(): string {
  return randomBytes(16).toString('hex');
}
export function newSpanId(): string {
  return randomBytes(8).toString('hex');
}
