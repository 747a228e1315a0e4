const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/**
 * Whether the text has the form of a UUID: 36 characters, hexadecimal digits of either case in five
 * groups. Any version will do, because codes that others issue (anti-fraud) need not be of ours.
 */
export function isUuid(text: string): boolean {
  return text.length === 36 && UUID.test(text);
}

/** Never issued: newer versions of UUIDs are never all zeros. */
const NOBODYS_ID = '00000000-0000-0000-0000-000000000000';

/**
 * A UUID in lower case, as PostgreSQL writes it; for any other text an id that is never issued, so
 * that no row is found.
 */
export function idOrUnissued(text: string): string {
  return isUuid(text) ? text.toLowerCase() : NOBODYS_ID;
}
