import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cents } from '../../../values/cents.ts';
import { instant } from '../../../values/instant.ts';
import type { AuthorizationRequest } from '../acquirer.ts';
import { ADAPTER_SETTINGS, referencesBy } from '../adapter-settings.ts';
import { type NetworkReference, NO_NETWORK_REFERENCE, referenceToSend } from '../network-reference.ts';
import { cieloAuthorization, cieloVerification } from './cielo/cielo-requests.ts';
import { redeAuthorization, redeVerification } from './rede/rede-requests.ts';

const CARD = {
  number: '5555555555554444',
  expirationMonth: '07',
  expirationYear: '31',
  holderName: 'João D’Ávila Conceição Número 7',
  securityCode: '123',
  brand: 'mastercard',
} as const;
const REQUEST: AuthorizationRequest = {
  merchantId: 'LOJA',
  capture: 'atOnce',
  reference: '019ac5a2-7b1e-7d11-9c55-1f2e3d4c5b6a',
  merchantReference: null,
  amount: cents(1_000),
  installments: 1,
  soldAt: instant(1),
  initiator: 'cardholder',
  networkReference: NO_NETWORK_REFERENCE,
  storedCard: null,
  authentication: null,
  storedCardReason: null,
  softDescriptor: 'LOJA.X *1234567890',
  customer: null,
  card: CARD,
};

// biome-ignore lint/suspicious/noExplicitAny: a test looks into the bodies.
const cielo = (change: Partial<AuthorizationRequest> = {}): any =>
  cieloAuthorization({ ...REQUEST, ...change }, false, null);
// biome-ignore lint/suspicious/noExplicitAny: a test looks into the bodies.
const rede = (change: Partial<AuthorizationRequest> = {}): any =>
  redeAuthorization({ ...REQUEST, ...change }, true, 'Loja própria');

test('texts are cut to what the acquirers take', () => {
  const { Payment } = cielo();
  assert.equal(Payment.CreditCard.Holder, 'Joao D Avila Conceicao Nu');
  assert.equal(Payment.CreditCard.ExpirationDate, '07/2031');
  assert.equal(Payment.SoftDescriptor, 'LOJA X 123456');
  assert.equal(rede().cardholderName, 'Joao D Avila Conceicao Numero');
  assert.equal(rede({ softDescriptor: null }).softDescriptor, 'Loja propria');
});

/** Cielo's two words, and Rede's number. */
const indicator = (change: Partial<AuthorizationRequest>) => {
  const { Category, Subcategory } = cielo(change).Payment.InitiatedTransactionIndicator ?? {};
  return [Category, Subcategory, rede(change).transactionCredentials?.credentialId];
};
const LINK = 'aB3dE5fG7hI9jK1lM3nO5p';
const BY_MERCHANT = {
  initiator: 'merchant',
  storedCard: 'later',
  networkReference: { transactionId: 'N1', linkId: LINK },
} as const;

test('Mastercard is told who began the use of a stored card: the holder, the merchant, or again after a no', () => {
  const byHolder = { storedCard: 'first', storedCardReason: 'unscheduled' } as const;
  assert.deepEqual(indicator(byHolder), ['C1', 'CredentialsOnFile', '01']);
  assert.deepEqual(indicator({ ...BY_MERCHANT, storedCardReason: 'recurring' }), [
    'M1',
    'Subscription',
    '07',
  ]);
  assert.deepEqual(indicator({ ...BY_MERCHANT, storedCardReason: 'installments' }), [
    'M1',
    'Installment',
    '08',
  ]);
  assert.deepEqual(indicator({ ...BY_MERCHANT, storedCardReason: 'resubmission' }), [
    'M2',
    'Resubmission',
    '12',
  ]);
  assert.deepEqual(indicator({}), [undefined, undefined, undefined], 'not stored');
  const visa = { ...CARD, brand: 'visa' } as const;
  const ofVisa = { ...BY_MERCHANT, storedCardReason: 'recurring', card: visa } as const;
  assert.deepEqual(indicator(ofVisa), [undefined, undefined, undefined]);
  const first = { initiator: 'merchant', storedCard: 'first' } as const;
  const credentialsOf = (storedCardReason: AuthorizationRequest['storedCardReason']) =>
    indicator({ ...first, storedCardReason });
  assert.deepEqual(credentialsOf('recurring'), ['M1', 'Subscription', '03'], 'the first of a subscription');
  assert.deepEqual(credentialsOf('installments'), ['M1', 'Installment', '04']);
  assert.deepEqual(credentialsOf('resubmission'), ['M2', 'Resubmission', '12'], 'the first was declined');
  const verified = redeVerification({ merchantId: 'LOJA', reference: 'R', card: CARD });
  assert.deepEqual(Reflect.get(verified, 'transactionCredentials'), { credentialId: '01' });
});

test('a stored card is named as such, with what the network called an earlier use', () => {
  const later = { ...BY_MERCHANT, storedCardReason: 'recurring' } as const;
  const { Payment } = cielo(later);
  assert.deepEqual(Payment.CreditCard.CardOnFile, { Usage: 'Used', Reason: 'Recurring' });
  assert.deepEqual([Payment.Recurrent, Payment.IssuerTransactionId], [true, 'N1']);
  assert.equal(Payment.TransactionLinkId, LINK);
  const { storageCard, brandTid, transactionLinkId, subscription } = rede(later);
  assert.deepEqual([storageCard, brandTid, transactionLinkId, subscription], ['2', 'N1', LINK, true]);
  const named = (linkId: string | null, transactionId: string | null) => {
    const change = { ...later, networkReference: { transactionId, linkId } };
    const { Payment } = cielo(change);
    return ['IssuerTransactionId', 'TransactionLinkId']
      .filter((name) => name in Payment)
      .concat(['brandTid', 'transactionLinkId'].filter((name) => name in rede(change)));
  };
  assert.deepEqual(named(null, 'N1'), ['IssuerTransactionId', 'brandTid']);
  assert.deepEqual(named(LINK, null), ['TransactionLinkId', 'transactionLinkId']);
  const subscribed = (storedCardReason: AuthorizationRequest['storedCardReason']) => {
    const change = { ...BY_MERCHANT, storedCardReason };
    return [rede(change).subscription, cielo(change).Payment.Recurrent];
  };
  for (const reason of ['recurring', 'installments', 'resubmission'] as const)
    assert.deepEqual(subscribed(reason), [true, true], reason);
  assert.deepEqual(subscribed('unscheduled'), [false, false]);
  const first = { storedCard: 'first', storedCardReason: 'unscheduled' } as const;
  assert.equal(cielo(first).Payment.CreditCard.CardOnFile.Usage, 'First');
  assert.deepEqual([rede(first).storageCard, rede(first).brandTid], ['1', undefined]);
  assert.equal(rede().storageCard, '0');
  const amex = { ...CARD, brand: 'amex' } as const;
  assert.equal(cielo({ ...later, card: amex }).Payment.CreditCard.CardOnFile, undefined);
  assert.equal(cieloVerification({ merchantId: 'LOJA', reference: 'R', card: amex }), null);
});

test('a link goes with what the merchant charges to a Mastercard, and the network id with every later use', () => {
  const both = { transactionId: 'N1', linkId: LINK };
  const charge = { initiator: 'merchant', brand: 'mastercard', link: 'beside' } as const;
  const sent = (change: Partial<Parameters<typeof referenceToSend>[1]>, reference: NetworkReference = both) =>
    Object.values(referenceToSend(reference, { ...charge, ...change }));
  assert.deepEqual(sent({}), ['N1', LINK]);
  assert.deepEqual(sent({ initiator: 'cardholder' }), ['N1', null]);
  for (const brand of ['visa', 'elo'] as const) assert.deepEqual(sent({ brand }), ['N1', null], brand);
  assert.deepEqual(sent({ link: 'none' }), ['N1', null]);
  assert.deepEqual(sent({ link: 'instead' }), [null, LINK]);
  assert.deepEqual(sent({ link: 'instead' }, { ...both, linkId: null }), ['N1', null]);
  assert.deepEqual(sent({ link: 'instead', brand: 'visa' }), ['N1', null]);
  assert.deepEqual(referencesBy({ link: 'instead', networkId: 'latest' }), {
    link: 'instead',
    networkId: 'latest',
  });
  assert.deepEqual(referencesBy({}), { link: 'beside', networkId: 'first' });
  assert.equal(ADAPTER_SETTINGS.link?.accepts('both'), false);
});

test('one installment is left out at Rede, and a missing security code at both', () => {
  assert.equal(rede().installments, undefined);
  assert.equal(rede({ installments: 3 }).installments, 3);
  const card = { ...CARD, securityCode: null };
  assert.equal('securityCode' in rede({ card }), false);
  assert.equal('SecurityCode' in cielo({ card }).Payment.CreditCard, false);
});

test('an authentication made elsewhere goes to each acquirer in its own fields', () => {
  const cavv = 'AAABBZEEBgAAAAAAAAQGAAAAAAA=';
  const dsTransactionId = '8c3f2e9a-0b1d-4a20-8c4e-2b6d1e5f3a77';
  const authentication = { eci: '02', version: '2.2.0', cavv, xid: null, dsTransactionId };
  assert.equal(rede().threeDSecure, undefined);
  assert.deepEqual(rede({ authentication }).threeDSecure, {
    ...{
      embedded: false,
      threeDIndicator: 2,
      eci: '02',
      cavv,
      directoryServerTransactionId: dsTransactionId,
    },
  });
  const { Payment } = cielo({ authentication });
  assert.equal(Payment.Authenticate, true);
  assert.deepEqual(Payment.ExternalAuthentication, {
    ...{ Eci: '2', Version: '2', Cavv: cavv, ReferenceId: dsTransactionId },
  });
  const failed = { ...authentication, eci: '00', cavv: null };
  assert.equal(cielo({ authentication: failed }).Payment.Authenticate, false);
  assert.equal(cielo().Payment.ExternalAuthentication, undefined);
});
