const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** A UUID of any version and case: codes of others (anti-fraud) need not be of our version. */
export function isUuid(text: string): boolean {
  return text.length === 36 && UUID.test(text);
}

/** No UUID in use is all zeros. */
const NOBODYS_ID = '00000000-0000-0000-0000-000000000000';

/** A UUID in lower case, as PostgreSQL writes it; for other texts an id that no row has. */
export function idOrUnissued(text: string): string {
  return isUuid(text) ? text.toLowerCase() : NOBODYS_ID;
}
