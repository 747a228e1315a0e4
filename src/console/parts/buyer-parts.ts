import type { Buyer } from '../../transactions/customers/buyer.ts';
import { documentText } from '../../values/document-number.ts';
import { maskedDocument, maskedEmail } from '../../values/masked-person.ts';
import type { Shown } from './html.ts';
import { link } from './page-parts.ts';
import { buyerPath, linkPath } from './paths.ts';
import { mayUse, type Visit } from './screen.ts';

/**
 * Users who may see a person's data unmasked, where they ask for it. The audit log records that they saw it.
 */
export const MAY_SEE_PERSON = { roles: ['support', 'finance', 'admin'], of: 'merchant' } as const;

type Named = Pick<Buyer, 'name' | 'document' | 'email'>;

export function shownDocument(document: string | null): string {
  return document === null ? '–' : maskedDocument(document);
}

export function shownEmail(email: string | null): string {
  return email === null ? '–' : maskedEmail(email);
}

/** The buyer's name, or else the masked e-mail address or document. Links to all that the buyer bought. */
export function buyerLink(buyer: Named | null | undefined, boughtId: string, { merchantId }: Visit): Shown {
  if (!buyer) return '–';
  const { name, email, document } = buyer;
  return link(
    buyerPath(merchantId, boughtId),
    name ?? (email === null ? shownDocument(document) : maskedEmail(email)),
  );
}

export function buyerFacts(
  title: string,
  buyer: Named | null | undefined,
  boughtId: string,
  visit: Visit,
): readonly (readonly [string, Shown])[] {
  const { say } = visit.wording;
  if (!buyer) return [[title, '–']];
  return [
    [title, buyerLink(buyer, boughtId, visit)],
    [say('Document'), shownDocument(buyer.document)],
    ['E-mail', shownEmail(buyer.email)],
  ];
}

/**
 * Document and e-mail address of a buyer in a file: unmasked for users who may see them so. The audit log
 * records each file.
 */
export function buyerCells({ user }: Visit) {
  const isWhole = mayUse(MAY_SEE_PERSON, user);
  return {
    document: (document: string | null | undefined) =>
      document && (isWhole ? documentText(document) : maskedDocument(document)),
    email: (email: string | null | undefined) => email && (isWhole ? email : maskedEmail(email)),
  };
}

export function linkFacts(
  linkId: string | null | undefined,
  { merchantId, wording }: Pick<Visit, 'merchantId' | 'wording'>,
): readonly (readonly [string, Shown])[] {
  if (!linkId) return [];
  return [[wording.say('Payment link'), link(linkPath(merchantId, linkId), linkId)]];
}
