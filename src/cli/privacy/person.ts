import type { Keyring } from '../../keys/open-keyring.ts';
import { documentKind } from '../../values/document-number.ts';

/** CPF or CNPJ as it is looked for: without mask, letters upper case; null when it is neither. */
export function readDocument(text: string): string | null {
  const bare = bareText(text);
  return documentKind(bare) === null ? null : bare;
}

/**
 * What the audit log calls a person: a keyed fingerprint of the document, which can be compared
 * with that of a known document, and not read back.
 */
export function personName(keyring: Pick<Keyring, 'fingerprint'>, document: string): string {
  const { keyId, print } = keyring.fingerprint(`privacy|document|${document}`);
  return `persons/${keyId}-${print.toString('hex').slice(0, 32)}`;
}

/**
 * Whether a text of the merchant's or the operator's names the person: by document, or by a name or
 * an e-mail address.
 */
export function namesPerson(text: string, document: string, names: readonly string[]): boolean {
  const lower = decoded(text).toLowerCase();
  return bareText(lower).includes(document) || names.some((name) => lower.includes(name.toLowerCase()));
}

/** By what the merchant called the customer: the e-mail address, and the name where it is whole. */
export function namesOf({ customer }: { readonly customer: object | null }): string[] {
  const { email, firstName, lastName, name } = (customer ?? {}) as Readonly<Record<string, unknown>>;
  const isText = (value: unknown): value is string => typeof value === 'string' && value.trim() !== '';
  const whole = isText(firstName) && isText(lastName) ? `${firstName.trim()} ${lastName.trim()}` : name;
  return [email, whole].filter(isText);
}

function bareText(text: string): string {
  return text.replace(/[^0-9a-z]/gi, '').toUpperCase();
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
