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
 * Whether a text of the merchant's or the operator's names the person: by document or by e-mail
 * address.
 */
export function namesPerson(text: string, document: string, emails: readonly string[]): boolean {
  const lower = decoded(text).toLowerCase();
  return bareText(lower).includes(document) || emails.some((email) => lower.includes(email.toLowerCase()));
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
