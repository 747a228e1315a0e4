import { randomBytes, randomInt, randomUUID } from 'node:crypto';
import type { Contract } from '../../../src/platform/http/endpoint.ts';
import { deliveryId } from '../../../src/webhooks/deliveries/delivery.ts';
import { tokenize } from '../../kit/merchant.ts';
import { knownBoleto, newBoleto, unexpectedPayment } from '../billed.ts';
import {
  chargedBilling,
  createPlan,
  deniedBilling,
  issuedCode,
  knownAlertEndpoint,
  newAlertEndpoint,
  newSubscription,
  openBilling,
  storeCard,
  subscribedCard,
} from '../enrolled.ts';
import type { Shop } from '../hostile-service.ts';
import { newLink, newSubscriberPage } from '../linked.ts';
import { knownEndToEndId, knownTxid } from '../pix-charged.ts';
import { endedDelivery, knownNsu, registerWebhook } from '../recipes.ts';
import { registerExceptionNotifier } from '../reconciled.ts';
import { authorizedPayment, chargedCard, encryptedCardOf, knownPayment } from '../sold.ts';

/** What can stand in a field that names something. */
export type ForeignKind = {
  /**
   * Something that this shop has, and that lives; of each endpoint's own, since some use up what
   * they name.
   */
  readonly live: (shop: Shop, endpoint: Contract) => Promise<string>;
  /** The same shape, and nobody has it; `shop` is whose service it is asked in. */
  readonly unowned: (shop: Shop) => string | Promise<string>;
  /**
   * `names`: the field names a thing of the merchant's; another's is answered as one that does not
   * exist, to the byte.
   * `free`: a text of the caller's own choice, which may happen to be another's too: it is taken
   * like any other.
   */
  readonly is: 'names' | 'free';
};

const ofPayment: ForeignKind = {
  live: async (shop, { id }) => {
    const isCapture = id === 'capturePayment';
    return (await (isCapture ? authorizedPayment(shop) : knownPayment(shop, id))).paymentId;
  },
  unowned: () => randomUUID(),
  is: 'names',
};

const unownedReference = (): string => `PEDIDO-${randomUUID().slice(0, 8)}`;

/**
 * By the name of the field, wherever it stands. A field that looks like an id and is missing here
 * ends the tests.
 */
export const FOREIGN_KINDS: Readonly<Record<string, ForeignKind>> = {
  paymentId: ofPayment,
  accountNumber: {
    // With something at it: an account where nothing happened looks to its owner as one does that
    // is asked from its end.
    live: async (shop, { id }) => {
      await knownPayment(shop, id);
      await knownBoleto(shop);
      await registerWebhook(shop, shop.accountNumber);
      await registerExceptionNotifier(shop, shop.accountNumber);
      return shop.accountNumber;
    },
    unowned: () => `${randomInt(1_000, 10_000)}-9`,
    is: 'names',
  },
  numberToken: {
    live: (shop, { id }) => shop.once(`numberToken ${id}`, () => tokenize(shop.url, shop.tokens.gateway)),
    unowned: () => randomBytes(32).toString('base64url'),
    is: 'names',
  },
  encryptedCard: {
    live: (shop, { id }) => shop.once(`encryptedCard ${id}`, () => encryptedCardOf(shop)),
    // Encrypted as it should be, for a merchant that does not exist.
    unowned: (shop) => encryptedCardOf(shop, '01700555550009'),
    is: 'names',
  },
  vaultId: {
    // Where it is looked for it pays something: else it looks to its owner like none.
    live: (shop, { id }) => {
      if (id === 'listSubscriptions') return subscribedCard(shop);
      return shop.once(`vaultId ${id}`, () => (id === 'listPayments' ? chargedCard(shop) : storeCard(shop)));
    },
    unowned: () => randomUUID(),
    is: 'names',
  },
  reference: {
    live: async (shop, { id }) => (await knownPayment(shop, id)).referenceTransaction,
    unowned: unownedReference,
    is: 'names',
  },
  /** Of the payer at his own bank. */
  account: {
    live: async () => '00123456',
    unowned: () => String(randomInt(10_000_000, 99_999_999)),
    is: 'free',
  },
  referenceTransaction: {
    live: async (shop, { id }) => (await knownPayment(shop, id)).referenceTransaction,
    unowned: unownedReference,
    is: 'free',
  },
  codeAntiFraud: {
    live: (shop) => shop.once('codeAntiFraud', () => issuedCode(shop)),
    unowned: () => randomUUID(),
    // In homologation, where these tests run, any GUID will do; production's codes have tests of their own.
    is: 'free',
  },
  /** Of the directory server of 3-D Secure. */
  dsTransactionId: {
    live: (shop) => shop.once('dsTransactionId', async () => randomUUID()),
    unowned: () => randomUUID(),
    is: 'free',
  },
  deviceId: {
    live: (shop) => shop.once('deviceId', async () => `aparelho-${randomUUID()}`),
    unowned: () => `aparelho-${randomUUID()}`,
    is: 'free',
  },
  deliveryId: {
    live: (shop, { id }) => shop.once(`deliveryId ${id}`, () => endedDelivery(shop)),
    unowned: () =>
      deliveryId({ createdAt: Date.now(), deliveryNumber: randomInt(1_000_000_000, 2_000_000_000) }),
    is: 'names',
  },
  nsu: {
    live: async (shop, { id }) => {
      if (id === 'listPayments') return (await knownPayment(shop, id)).nsu;
      // With the code that the rest of the request names.
      if (id === 'searchReceivablesByCode') return (await knownPayment(shop)).nsu;
      await shop.once(`nsu ${id}`, () => endedDelivery(shop));
      return knownNsu(shop);
    },
    unowned: () => String(randomInt(1_000_000_000, 2_000_000_000)),
    is: 'names',
  },
  authorizationCode: {
    live: async (shop, { id }) => (await knownPayment(shop, id)).authorizationCode,
    unowned: () => randomBytes(3).toString('hex').toUpperCase(),
    is: 'names',
  },
  merchantId: {
    live: async (shop, { id }) => {
      if (id === 'listNotifiers') await knownAlertEndpoint(shop);
      return shop.merchantId;
    },
    unowned: () => '01700555550009',
    is: 'names',
  },
  planId: {
    live: (shop, { id }) => shop.once(`planId ${id}`, () => createPlan(shop)),
    unowned: () => randomUUID(),
    is: 'names',
  },
  billingId: {
    live: (shop, { id }) =>
      shop.once(`billingId ${id}`, () => {
        if (id === 'listPayments') return chargedBilling(shop);
        return id === 'chargeBilling' ? deniedBilling(shop) : openBilling(shop);
      }),
    unowned: () => randomUUID(),
    is: 'names',
  },
  exceptionId: {
    live: (shop, { id }) => shop.once(`exceptionId ${id}`, () => unexpectedPayment(shop)),
    unowned: () => randomUUID(),
    is: 'names',
  },
  boletoId: {
    live: (shop, { id }) => shop.once(`boletoId ${id}`, () => newBoleto(shop)),
    unowned: () => randomUUID(),
    is: 'names',
  },
  endToEndId: {
    live: (shop) => knownEndToEndId(shop),
    unowned: () => randomBytes(16).toString('hex'),
    is: 'names',
  },
  txid: {
    live: (shop) => knownTxid(shop),
    unowned: () => randomBytes(16).toString('hex'),
    is: 'names',
  },
  mid: {
    live: async (shop, { id }) => {
      await shop.once(`billingId ${id}`, () => openBilling(shop));
      return shop.merchantId;
    },
    unowned: () => `${randomInt(1_000_000, 10_000_000)}-9`,
    is: 'names',
  },
  /** Of a payment link, where a query names it. */
  id: {
    live: (shop, { id }) => shop.once(`link ${id}`, async () => (await newLink(shop)).id),
    unowned: () => randomUUID(),
    is: 'names',
  },
  notifierId: {
    live: (shop, { id }) => shop.once(`notifierId ${id}`, () => newAlertEndpoint(shop, 'Conhecido')),
    unowned: () => randomUUID(),
    is: 'names',
  },
  subscriptionId: {
    live: (shop, { id }) =>
      shop.once(`subscriptionId ${id}`, async () =>
        /^(get|remove)SubscriberPage$/.test(id) ? (await newSubscriberPage(shop)).id : newSubscription(shop),
      ),
    unowned: () => randomUUID(),
    is: 'names',
  },
  userName: {
    live: async ({ logins }, { api }) => logins[api === 'integration' ? api : 'gateway'].userName,
    unowned: () => `01700555550009-${randomBytes(4).toString('hex')}`,
    is: 'names',
  },
};

/**
 * Names that say that something is named: ids, tokens, accounts, references, keys, codes that were
 * issued.
 */
export const LOOKS_LIKE_AN_ID =
  /(^i|I)ds?$|^mid$|(^t|T)oken$|^encrypted|(^a|A)ccount|(^r|R)eference|(^u|U)serName$|(^k|K)ey$|^code[A-Z]|(^n|N)su$/;
