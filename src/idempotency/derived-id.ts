/**
 * The beginning of a keyed request's resource id, a UUID of version 8 whose last eight digits are random.
 * Four groups hash merchant, method, path and key; the next four digits hash the body.
 */
export type IdStem = string & { readonly idStem: never };

const GROUPS_OF_KEY = 24;
const DIGITS_OF_CHANCE = 8;

/** Digests under the id key. */
export function idStem(ofRequest: Buffer, ofBody: Buffer): IdStem {
  const bytes = Buffer.concat([ofRequest.subarray(0, 10), ofBody.subarray(0, 2)]);
  bytes[6] = ((bytes[6] as number) & 0x0f) | 0x80;
  bytes[8] = ((bytes[8] as number) & 0x3f) | 0x80;
  const digits = bytes.toString('hex');
  const groups = [digits.slice(0, 8), digits.slice(8, 12), digits.slice(12, 16), digits.slice(16, 20)];
  return `${groups.join('-')}-${digits.slice(20)}` as IdStem;
}

/** All ids of requests with this key, whatever their body. */
export type IdSpan = { readonly first: string; readonly last: string };

export function idSpan(stem: IdStem): IdSpan {
  const ofKey = stem.slice(0, GROUPS_OF_KEY);
  return { first: `${ofKey}${'0'.repeat(12)}`, last: `${ofKey}${'f'.repeat(12)}` };
}

/** Whether a request with this body made the resource. */
export function isOfBody(resourceId: string, stem: IdStem): boolean {
  return resourceId.toLowerCase().startsWith(stem);
}

export function idUnder(stem: IdStem, chance: Buffer): string {
  return `${stem}${chance.toString('hex').slice(0, DIGITS_OF_CHANCE)}`;
}
