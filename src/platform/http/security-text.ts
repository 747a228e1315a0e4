import { type Day, isDay } from '../../values/instant.ts';
import { contract, type Endpoint, endpoint } from './endpoint.ts';

/** The contact for security reports, and its last valid day (RFC 9116). */
export type SecurityContact = { readonly contacts: readonly string[]; readonly expiresOn: Day };

const MOST_CONTACTS = 8;
const PROTOCOLS = ['mailto:', 'https:', 'tel:'];

const GET_SECURITY_TEXT = contract({
  id: 'getSecurityText',
  method: 'GET',
  path: '/.well-known/security.txt',
  api: 'operations',
  scope: null,
  group: 'Operations',
  summary: 'Where to report a security problem',
  description: 'RFC 9116. There is no such path where the operator names no contact.',
  answers: {
    200: {
      description: 'Contacts, and until when they are good.',
      contentType: 'text/plain',
    },
  },
});

export const SECURITY_TEXT_ENDPOINTS: readonly Endpoint<SecurityContact>[] = [
  endpoint(GET_SECURITY_TEXT, async (contact: SecurityContact) => ({
    status: 200,
    text: { content: securityText(contact), type: 'text/plain; charset=utf-8' },
  })),
];

/** Contacts in the operator's order. The last day is included, in UTC. */
export function securityText({ contacts, expiresOn }: SecurityContact): string {
  const lines = [
    ...contacts.map((contact) => `Contact: ${contact}`),
    `Expires: ${expiresOn}T23:59:59Z`,
    'Preferred-Languages: pt, en',
  ];
  return `${lines.join('\r\n')}\r\n`;
}

export function hasExpired({ expiresOn }: SecurityContact, now: Date): boolean {
  return now.toISOString().slice(0, 10) > expiresOn;
}

/** Null when neither setting is set. Adds its faults to `faults`. */
export function readSecurityContact(
  text: (name: string) => string,
  faults: string[],
): SecurityContact | null {
  const contacts = text('PARCELA_SECURITY_CONTACT')
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean);
  const expiresOn = text('PARCELA_SECURITY_EXPIRES');
  if (contacts.length === 0 && expiresOn === '') return null;
  for (const contact of contacts.filter((one) => !isContact(one)))
    faults.push(`PARCELA_SECURITY_CONTACT: must be mailto:…, https://… or tel:…, not "${contact}"`);
  if (contacts.length === 0 || contacts.length > MOST_CONTACTS)
    faults.push(`PARCELA_SECURITY_CONTACT: must be one to ${MOST_CONTACTS} addresses, separated by commas`);
  if (isDay(expiresOn)) return { contacts, expiresOn };
  faults.push(`PARCELA_SECURITY_EXPIRES: must be a day such as 2027-06-30, not "${expiresOn}"`);
  return null;
}

/** Printable characters without spaces: a contact takes one line. */
function isContact(text: string): boolean {
  const url = /^[\x21-\x7e]{1,500}$/.test(text) ? URL.parse(text) : null;
  return url !== null && PROTOCOLS.includes(url.protocol) && url.password === '' && url.username === '';
}
