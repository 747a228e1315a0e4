/** Of argon2id. Each hash has its own parameters, so that they can grow while older hashes still work. */
export type PasswordHash = {
  readonly memoryKibibytes: number;
  readonly passes: number;
  readonly lanes: number;
  readonly salt: Buffer;
  readonly tag: Buffer;
};

/** 19 MiB, 2 passes, 1 lane: OWASP's recommendation for argon2id, about 50 ms of one core. */
export const PASSWORD_COST = { memoryKibibytes: 19 * 1024, passes: 2, lanes: 1 } as const;
export const SALT_BYTES = 16;
export const TAG_BYTES = 32;

const TEXT =
  /^\$argon2id\$v=19\$m=(\d{1,8}),t=(\d{1,4}),p=(\d{1,3})\$([A-Za-z0-9+/]{11,86})\$([A-Za-z0-9+/]{22,86})$/;

/** PHC string form: `$argon2id$v=19$m=19456,t=2,p=1$salt$tag`, base64 without padding. */
export function passwordHashText(hash: PasswordHash): string {
  const cost = `m=${hash.memoryKibibytes},t=${hash.passes},p=${hash.lanes}`;
  return `$argon2id$v=19$${cost}$${unpadded(hash.salt)}$${unpadded(hash.tag)}`;
}

/** Throws for any other form: hashes come from our own table. */
export function parsePasswordHash(text: string): PasswordHash {
  const [, memory, passes, lanes, salt = '', tag = ''] = TEXT.exec(text) ?? [];
  if (memory === undefined) throw new Error('not an argon2id hash in PHC form');
  return {
    memoryKibibytes: Number(memory),
    passes: Number(passes),
    lanes: Number(lanes),
    salt: Buffer.from(salt, 'base64'),
    tag: Buffer.from(tag, 'base64'),
  };
}

/** Whether one computation checks a password against both. */
export function isSameComputation(left: PasswordHash, right: PasswordHash): boolean {
  const isSameCost =
    left.memoryKibibytes === right.memoryKibibytes &&
    left.passes === right.passes &&
    left.lanes === right.lanes;
  return isSameCost && left.salt.equals(right.salt) && left.tag.length === right.tag.length;
}

function unpadded(bytes: Buffer): string {
  return bytes.toString('base64').replaceAll('=', '');
}
