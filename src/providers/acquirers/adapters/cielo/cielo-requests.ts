import type { CardBrand } from '../../../../values/card-number.ts';
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

const LONGEST_NAME = 25;
const LONGEST_DESCRIPTOR = 13;
const CENTURY = '20';

const BRANDS: Readonly<Record<CardBrand, string>> = {
  visa: 'Visa',
  mastercard: 'Master',
  amex: 'Amex',
  elo: 'Elo',
  hipercard: 'Hipercard',
};
/** Only these networks know stored cards, and zero verifications. */
const ON_FILE: readonly CardBrand[] = ['visa', 'mastercard', 'elo'];

const REASONS: Readonly<Record<StoredCardReason, string>> = {
  recurring: 'Recurring',
  installments: 'Installments',
  resubmission: 'Recurring',
  unscheduled: 'Unscheduled',
};
/** `Subcategory` of Mastercard's indicator. */
const SUBCATEGORIES: Readonly<Record<StoredCardReason, string>> = {
  recurring: 'Subscription',
  installments: 'Installment',
  resubmission: 'Resubmission',
  unscheduled: 'CredentialsOnFile',
};

function cardFields(card: CardForAuthorization): object {
  const { number, expirationMonth, expirationYear, holderName, securityCode, brand } = card;
  return {
    CardNumber: number,
    Holder: plainName(holderName, LONGEST_NAME),
    ExpirationDate: `${expirationMonth.padStart(2, '0')}/${CENTURY}${expirationYear}`,
    ...(securityCode === null ? {} : { SecurityCode: securityCode }),
    SaveCard: false,
    Brand: BRANDS[brand],
  };
}

/**
 * C1: the cardholder began it. M1: the merchant, as agreed, the first of its charges too. M2: the merchant,
 * again after a decline.
 */
function indicatorOf({ initiator, storedCardReason, card }: AuthorizationRequest): object {
  if (card.brand !== 'mastercard' || storedCardReason === null) return {};
  const ofMerchant = storedCardReason === 'resubmission' ? 'M2' : 'M1';
  const Category = initiator === 'merchant' ? ofMerchant : 'C1';
  // A resubmission is always the merchant's.
  const reason = Category === 'C1' && storedCardReason === 'resubmission' ? 'unscheduled' : storedCardReason;
  return { InitiatedTransactionIndicator: { Category, Subcategory: SUBCATEGORIES[reason] } };
}

/** One digit each of `eci` and `version`. `ReferenceId`: the directory server's id of the authentication. */
function authenticationFields({ eci, version, cavv, xid, dsTransactionId }: Authentication): object {
  return {
    Eci: eci.slice(-1),
    Version: version.slice(0, 1),
    ...(cavv === null ? {} : { Cavv: cavv }),
    ...(xid === null ? {} : { Xid: xid }),
    ...(dsTransactionId === null ? {} : { ReferenceId: dsTransactionId }),
  };
}

function referenceFields({ transactionId, linkId }: NetworkReference): object {
  return {
    ...(transactionId === null ? {} : { IssuerTransactionId: transactionId }),
    ...(linkId === null ? {} : { TransactionLinkId: linkId }),
  };
}

export function cieloAuthorization(
  request: AuthorizationRequest,
  capture: boolean,
  ownDescriptor: string | null,
): object {
  const { amount, installments, card, authentication, storedCard, storedCardReason } = request;
  const descriptor = plainDescriptor(request.softDescriptor ?? ownDescriptor, LONGEST_DESCRIPTOR);
  const isOnFile = storedCard !== null && ON_FILE.includes(card.brand);
  const isProved = authentication !== null && authentication.cavv !== null;
  // What Cielo takes as recurrent has no security code, and one installment.
  const isRecurrent = isOfSubscription(request) && installments === 1;
  return {
    MerchantOrderId: shortReference(request.reference),
    Payment: {
      Type: 'CreditCard',
      Amount: amount,
      Installments: installments,
      Interest: 'ByMerchant',
      Capture: capture,
      Authenticate: isProved,
      Recurrent: isRecurrent,
      ...(descriptor === null ? {} : { SoftDescriptor: descriptor }),
      ...(storedCard === 'later' ? referenceFields(request.networkReference) : {}),
      ...indicatorOf(request),
      ...(authentication === null ? {} : { ExternalAuthentication: authenticationFields(authentication) }),
      CreditCard: {
        ...cardFields(card),
        ...(isOnFile
          ? {
              CardOnFile: {
                Usage: storedCard === 'first' ? 'First' : 'Used',
                Reason: REASONS[storedCardReason ?? 'unscheduled'],
              },
            }
          : {}),
      },
    },
  };
}

/** The verification before a card is stored; null: Cielo does not verify this brand. */
export function cieloVerification({ card }: VerificationRequest): object | null {
  if (!ON_FILE.includes(card.brand)) return null;
  return { ...cardFields(card), CardOnFile: { Usage: 'First', Reason: 'Unscheduled' } };
}
