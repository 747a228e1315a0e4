import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import {
  isSameComputation,
  PASSWORD_COST,
  type PasswordHash,
  parsePasswordHash,
  passwordHashText,
  SALT_BYTES,
  TAG_BYTES,
} from './password-hash.ts';

const argon2Async = promisify(argon2);

/**
 * `beside`: a hash that stays valid for a while (rotation with overlap). The new one takes its salt and cost,
 * so that one computation checks a password against both, and a wrong one takes no longer than elsewhere.
 */
export async function hashPassword(password: string, beside: string | null = null): Promise<string> {
  const shape: Omit<PasswordHash, 'tag'> =
    beside === null ? { ...PASSWORD_COST, salt: randomBytes(SALT_BYTES) } : parsePasswordHash(beside);
  const tag = await derive(password, { ...shape, tag: Buffer.alloc(TAG_BYTES) });
  return passwordHashText({ ...shape, tag });
}

/** Computed when there is no hash: it costs the same and fits no password. */
const NOBODYS_HASH = passwordHashText({
  ...PASSWORD_COST,
  salt: Buffer.alloc(SALT_BYTES),
  tag: Buffer.alloc(TAG_BYTES),
});

/**
 * The hash that fits the password, or null. Takes the same time without any hash. Never cuts the password.
 */
export async function checkPassword(password: string, hashes: readonly string[]): Promise<string | null> {
  let fitting: string | null = null;
  let computed: { for: PasswordHash; tag: Buffer } | null = null;
  for (const text of hashes.length === 0 ? [NOBODYS_HASH] : hashes) {
    const hash = parsePasswordHash(text);
    if (computed === null || !isSameComputation(computed.for, hash)) {
      computed = { for: hash, tag: await derive(password, hash) };
    }
    if (timingSafeEqual(computed.tag, hash.tag)) fitting ??= text;
  }
  return hashes.length === 0 ? null : fitting;
}

function derive(
  password: string,
  { memoryKibibytes, passes, lanes, salt, tag }: PasswordHash,
): Promise<Buffer> {
  return argon2Async('argon2id', {
    message: password,
    nonce: salt,
    parallelism: lanes,
    tagLength: tag.length,
    memory: memoryKibibytes,
    passes,
  });
}
