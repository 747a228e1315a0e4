const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/**
 * Whether the text has the form of a UUID: 36 characters, hexadecimal digits of either case in five groups. Any version
 * will do, because codes that others issue (anti-fraud) need not be of ours.
 */
export function isUuid(text: string): boolean {
  return text.length === 36 && UUID.test(text);
}
