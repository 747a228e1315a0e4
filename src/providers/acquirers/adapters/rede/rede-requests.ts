import type {
  AuthorizationRequest,
  CardForAuthorization,
  StoredCardReason,
  VerificationRequest,
} from '../../acquirer.ts';
import { plainDescriptor, plainName } from '../../acquirer-text.ts';
import type { Authentication } from '../../authentication.ts';
import { isOfSubscription } from '../../direct-acquirer.ts';
import type { NetworkReference } from '../../network-reference.ts';
import { shortReference } from '../../short-reference.ts';

const LONGEST_NAME = 30;
const LONGEST_DESCRIPTOR = 18;
const CENTURY = '20';
/** The value of `origin` for the merchant's own page. */
const OWN_PAGE = 1;
/** Values of `storageCard`. */
const STORAGE = { none: '0', first: '1', later: '2' } as const;
/** `credentialId`: why Mastercard's card is stored, or used again, by whom it is begun. */
const OF_HOLDER: Readonly<Record<StoredCardReason, string>> = {
  unscheduled: '01',
  recurring: '03',
  installments: '04',
  // A resubmission is always the merchant's.
  resubmission: '01',
};
const OF_MERCHANT: Readonly<Record<StoredCardReason, string>> = {
  unscheduled: '05',
  recurring: '07',
  installments: '08',
  resubmission: '12',
};

function cardFields({
  number,
  expirationMonth,
  expirationYear,
  holderName,
  securityCode,
}: CardForAuthorization) {
  return {
    cardholderName: plainName(holderName, LONGEST_NAME),
    cardNumber: number,
    expirationMonth: Number(expirationMonth),
    expirationYear: Number(`${CENTURY}${expirationYear}`),
    ...(securityCode === null ? {} : { securityCode }),
  };
}

export function redeAuthorization(
  request: AuthorizationRequest,
  capture: boolean,
  ownDescriptor: string | null,
): object {
  const { amount, installments, authentication, storedCard, networkReference } = request;
  const softDescriptor = plainDescriptor(request.softDescriptor ?? ownDescriptor, LONGEST_DESCRIPTOR);
  return {
    capture,
    kind: 'credit',
    reference: shortReference(request.reference),
    amount,
    ...(installments === 1 ? {} : { installments }),
    ...cardFields(request.card),
    ...(softDescriptor === null ? {} : { softDescriptor }),
    subscription: isOfSubscription(request),
    origin: OWN_PAGE,
    storageCard: STORAGE[storedCard ?? 'none'],
    ...credentialFields(request),
    ...(authentication === null ? {} : { threeDSecure: authenticationFields(authentication) }),
    ...(storedCard === 'later' ? referenceFields(networkReference) : {}),
  };
}

function referenceFields({ transactionId, linkId }: NetworkReference): object {
  return {
    ...(transactionId === null ? {} : { brandTid: transactionId }),
    ...(linkId === null ? {} : { transactionLinkId: linkId }),
  };
}

type CredentialUse = Pick<AuthorizationRequest, 'card' | 'initiator' | 'storedCard' | 'storedCardReason'>;

/**
 * Mastercard alone asks for it. The merchant's ids point to an earlier use, so its first billing of a card
 * has the holder's (03, 04), who agreed to it then. What is tried again after a decline is always the
 * merchant's.
 */
function credentialFields({ card, initiator, storedCard, storedCardReason }: CredentialUse): object {
  if (card.brand !== 'mastercard' || storedCard === null) return {};
  const isAgain = storedCard === 'later' || storedCardReason === 'resubmission';
  const ids = initiator === 'merchant' && isAgain ? OF_MERCHANT : OF_HOLDER;
  return { transactionCredentials: { credentialId: ids[storedCardReason ?? 'unscheduled'] } };
}

/** The protocol's version, as Rede counts it. */
const THREE_D_INDICATOR = 2;

/** `embedded`: made at Rede. */
function authenticationFields({ eci, cavv, xid, dsTransactionId }: Authentication): object {
  return {
    embedded: false,
    threeDIndicator: THREE_D_INDICATOR,
    eci,
    ...(cavv === null ? {} : { cavv }),
    ...(xid === null ? {} : { xid }),
    ...(dsTransactionId === null ? {} : { directoryServerTransactionId: dsTransactionId }),
  };
}

/** A sale of nothing, which moves no money. */
export function redeVerification({ reference, card }: VerificationRequest): object {
  return {
    capture: true,
    kind: 'credit',
    reference: shortReference(reference),
    amount: 0,
    ...cardFields(card),
    origin: OWN_PAGE,
    storageCard: STORAGE.first,
    ...credentialFields({ card, initiator: 'cardholder', storedCard: 'first', storedCardReason: null }),
  };
}

/** On the day of its sale a part is given back only with a delay. */
export function redeRefund(amount: number, isWhole: boolean): object {
  return isWhole ? { amount } : { amount, delayRefunds: true };
}
