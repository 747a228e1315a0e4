import { setTimeout as pause } from 'node:timers/promises';
import type { Actor, Audit } from '../audit/audit-event.ts';
import { newId } from '../platform/chance.ts';
import type {
  Acquirer,
  AuthorizationRequest,
  CardForAuthorization,
  VerificationAnswer,
} from '../providers/acquirers/acquirer.ts';
import {
  isLinked,
  type NamedReference,
  NO_NETWORK_REFERENCE,
} from '../providers/acquirers/network-reference.ts';
import { brandOf, isCardNumber } from '../values/card-number.ts';
import { cents, reaisText } from '../values/cents.ts';
import { instant } from '../values/instant.ts';

export type Trial = { readonly lines: readonly string[]; readonly isBad: boolean };

type TryTools = {
  readonly audit: Audit;
  readonly operator: Actor;
  /** Prints a line at once, so that it is known if the command is killed. */
  readonly report: (line: string) => void;
};

export type WantedTrial = {
  /** The charge's merchant, for acquirers that ask for one. */
  readonly merchantId: string;
  readonly name: string;
  readonly card: CardForAuthorization;
  readonly isToBeCharged: boolean;
};

const TIMEOUT_MILLISECONDS = 25_000;
const AMOUNT = cents(100);
const MOST_TRIES = 12;
const PAUSE_MILLISECONDS = 6_000;

/** Verifies a card with no amount and, if wanted, charges R$ 1.00, which it voids at once. */
export async function tryAcquirer(
  { audit, operator, report }: TryTools,
  acquirer: Pick<Acquirer, 'authorize' | 'verify' | 'voidCharge'>,
  { merchantId, name, card, isToBeCharged }: WantedTrial,
): Promise<Trial> {
  const verified = await acquirer.verify({ merchantId, reference: newId(), card }, TIMEOUT_MILLISECONDS);
  const lines = [verificationLine(verified), ...linkLines(verified, card)];
  const verification = { lines, isBad: verified.kind !== 'approved' };
  if (!isToBeCharged || verification.isBad) return verification;
  const reference = newId();
  await audit.transaction(async (tx) => {
    const resource = `providers/acquirer/${name}`;
    const detail = { reference, amount: reaisText(AMOUNT) };
    tx.record({ ...operator, action: 'provider.charge', outcome: 'success', resource, detail });
  });
  report(`Charges R$ ${reaisText(AMOUNT)} under ${reference}, and voids it.`);
  const charged = await acquirer.authorize(chargeOf(merchantId, reference, card), TIMEOUT_MILLISECONDS);
  if (charged.kind === 'notSent' || charged.kind === 'notConnected' || charged.kind === 'notMade')
    return { lines: [...verification.lines, `No charge was made: ${charged.reason}.`], isBad: true };
  const said = charged.kind === 'unknown' ? `not known: ${charged.reason}` : charged.kind;
  const voided = await voidForGood(acquirer, merchantId, reference);
  const end = voided
    ? 'Nothing of it is live.'
    : `IT MAY BE LIVE: void the charge of R$ ${reaisText(AMOUNT)} at the acquirer's own desk (${reference}).`;
  const isBad = !voided || charged.kind !== 'approved';
  const link = linkLines(charged, card);
  return { lines: [...verification.lines, `The charge was ${said}.`, ...link, end], isBad };
}

function verificationLine(verified: VerificationAnswer): string {
  switch (verified.kind) {
    case 'approved':
      return 'A card was verified with no amount: the acquirer approves.';
    case 'declined':
      return `A card was verified with no amount, and its issuer declined it (${verified.responseCode}).`;
    case 'unknown':
    case 'notConnected':
    case 'notSent':
      return `A card could not be verified: ${verified.reason}.`;
  }
}

/** A stored Mastercard is charged again by the link of its first use. */
function linkLines(
  answer: { readonly kind: string; readonly networkReference?: NamedReference },
  { brand }: CardForAuthorization,
): string[] {
  const { networkReference } = answer;
  if (networkReference === undefined || !isLinked(brand)) return [];
  const { linkId, unfitLinkLength } = networkReference;
  if (linkId !== null) return ["Mastercard's link (TLID) came with it."];
  const unfit = `A link (TLID) of ${unfitLinkLength} characters came with it, and is not kept: Mastercard's has 22.`;
  return [unfitLinkLength === undefined ? 'No link of Mastercard (TLID) came with it.' : unfit];
}

function chargeOf(merchantId: string, reference: string, card: CardForAuthorization): AuthorizationRequest {
  return {
    merchantId,
    capture: 'atOnce',
    reference,
    merchantReference: null,
    amount: AMOUNT,
    installments: 1,
    soldAt: instant(Date.now()),
    initiator: 'cardholder',
    networkReference: NO_NETWORK_REFERENCE,
    storedCard: null,
    authentication: null,
    storedCardReason: null,
    softDescriptor: null,
    customer: null,
    card,
  };
}

/** A look-up may be some seconds behind, so it is tried again. */
async function voidForGood(
  acquirer: Pick<Acquirer, 'voidCharge'>,
  merchantId: string,
  reference: string,
): Promise<boolean> {
  for (let tries = 1; tries <= MOST_TRIES; tries += 1) {
    const { kind } = await acquirer.voidCharge(merchantId, reference, TIMEOUT_MILLISECONDS);
    if (kind === 'voided' || kind === 'declined') return true;
    if (tries < MOST_TRIES) await pause(PAUSE_MILLISECONDS);
  }
  return false;
}

/** Reads a card from JSON, or gives its fault without its content. */
export function readTrialCard(text: string): CardForAuthorization | string {
  const fields = parsed(text);
  const { number, expirationMonth, expirationYear, holderName, securityCode = null } = fields;
  if (typeof number !== 'string' || !isCardNumber(number)) return 'number is no card number';
  const brand = brandOf(number);
  if (brand === null) return 'number is of no brand that is known';
  if (typeof expirationMonth !== 'string' || !/^(0[1-9]|1[0-2])$/.test(expirationMonth))
    return 'expirationMonth must have two digits';
  if (typeof expirationYear !== 'string' || !/^\d\d$/.test(expirationYear))
    return 'expirationYear must have two digits';
  if (typeof holderName !== 'string' || holderName.trim() === '') return 'holderName is missing';
  if (securityCode !== null && (typeof securityCode !== 'string' || !/^\d{3,4}$/.test(securityCode)))
    return 'securityCode must have three or four digits';
  return { number, expirationMonth, expirationYear, holderName, securityCode, brand };
}

function parsed(text: string): Record<string, unknown> {
  try {
    return Object(JSON.parse(text)) as Record<string, unknown>;
  } catch {
    // The parser's message could repeat the card.
    return {};
  }
}
