import { createCipheriv, createDecipheriv, createHash, type KeyObject } from 'node:crypto';

const ALGORITHM = 'aes-256-gcm';
export const NONCE_BYTES = 12;
export const KEY_BYTES = 32;
const TAG_BYTES = 16;

/**
 * AES-256-GCM: nonce, ciphertext, tag. `context` names the owner (merchant, record, key); in another place
 * the bytes do not open. A nonce must never repeat under one key: callers give 96 random bits.
 */
export function sealBytes(key: KeyObject | Buffer, nonce: Buffer, context: string, plain: Buffer): Buffer {
  const cipher = createCipheriv(ALGORITHM, key, nonce);
  cipher.setAAD(Buffer.from(context, 'utf8'));
  return Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
}

/** Throws if key, context or a single bit differ. */
export function openBytes(key: KeyObject | Buffer, context: string, sealed: Buffer): Buffer {
  if (sealed.length < NONCE_BYTES + TAG_BYTES) throw new Error('the sealed bytes are too short');
  const decipher = createDecipheriv(ALGORITHM, key, sealed.subarray(0, NONCE_BYTES), {
    authTagLength: TAG_BYTES,
  });
  decipher.setAAD(Buffer.from(context, 'utf8'));
  decipher.setAuthTag(sealed.subarray(sealed.length - TAG_BYTES));
  return Buffer.concat([
    decipher.update(sealed.subarray(NONCE_BYTES, sealed.length - TAG_BYTES)),
    decipher.final(),
  ]);
}

/** Tells keys apart without revealing anything of them. */
export function keyCheckValue(key: Buffer): string {
  return createHash('sha256').update('parcela key check value').update(key).digest('hex').slice(0, 16);
}
