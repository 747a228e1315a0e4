import { call, encryptCard, paymentRequest, TEST_CARD, tokenize } from '../kit/merchant.ts';
import { until } from '../kit/service.ts';
import { storeCard } from './enrolled.ts';
import type { Shop } from './hostile-service.ts';

const ENCRYPTED_FIELDS = { securityCode: '123', expirationMonth: '12', expirationYear: '39' };

/** As a page of this shop encrypts it, or of another merchant. */
export async function encryptedCardOf(
  shop: Shop,
  merchantId = shop.merchantId,
  fields: Record<string, string> = {},
): Promise<string> {
  const { key } = await shop.once('publicKey', async () => {
    const reply = await call(shop.url, '/v1/cards/public-key', { token: shop.tokens.gateway });
    return reply.body as { key: string };
  });
  const card = { cardNumber: TEST_CARD, merchantId, createdAt: new Date().toISOString() };
  return encryptCard(key, { ...card, ...ENCRYPTED_FIELDS, ...fields });
}

export const AMOUNT = 12_990;
const SALE = { transactionType: 'credit', amount: AMOUNT, productType: 'avista', installments: 1 };

export async function wholePayment(shop: Shop): Promise<Record<string, unknown>> {
  return paymentRequest(await tokenize(shop.url, shop.tokens.gateway), AMOUNT, {
    payment: { ...SALE, captureType: 'ac' },
    urlCallBack: `${shop.listenerUrl}/retorno`,
    threeDSecure: {
      eci: '02',
      cavv: 'AAABBZEEBgAAAAAAAAQGAAAAAAA=',
      dsTransactionId: '8c3f2e9a-0b1d-4a20-8c4e-2b6d1e5f3a77',
      xid: 'AAABBZEEBgAAAAAAAAQGAAAAAAA=',
      version: '2.2.0',
    },
    configSplit: [
      { documentNumberBeneficiary: '11222333000181', percent: 10.5, type: 'bruto' },
      { documentNumberBeneficiary: '52998224725', percent: 0.01, type: 'bruto' },
    ],
    customer: {
      documentType: 'cpf',
      documentNumber: '52998224725',
      firstName: 'Ana',
      lastName: 'Souza',
      email: 'ana@loja.example',
      phoneNumber: '1140000000',
      mobilePhoneNumber: '5511990000000',
      address: 'Rua das Flores, 10',
      complement: 'Sala 2',
      city: 'São Paulo',
      state: 'SP',
      zipCode: '01001000',
      ipAddress: '203.0.113.7',
      country: 'BR',
    },
  });
}

export async function encryptedPayment(shop: Shop): Promise<Record<string, unknown>> {
  return paymentRequest('', AMOUNT, {
    cardInfo: { cardholderName: 'ANA SOUZA', encryptedCard: await encryptedCardOf(shop) },
  });
}

export type KnownPayment = {
  readonly paymentId: string;
  readonly referenceTransaction: string;
  readonly nsu: string;
  readonly authorizationCode: string;
};

export function knownPayment(shop: Shop, name = 'payment'): Promise<KnownPayment> {
  return shop.once(name, () => newPayment(shop));
}

export function newPayment(shop: Shop, change: Record<string, unknown> = {}): Promise<KnownPayment> {
  return pay(shop, async () => ({ ...(await wholePayment(shop)), ...change }));
}

/**
 * Sells until one is approved. A busy machine has no place at once (503), its acquirer answers too late
 * (500), or a request beside it told the simulator to decline the next charges (402).
 */
async function pay(shop: Shop, make: () => Promise<Record<string, unknown>>): Promise<KnownPayment> {
  let last = '';
  const paid = await until('a payment is sold', async () => {
    const body = await make();
    const reply = await call(shop.url, '/v1/payments', { token: shop.tokens.gateway, body });
    last = `${reply.status}: ${reply.text}`;
    const { status } = reply;
    if (status !== 200 && status !== 402 && status < 500) throw new Error(`the payment was answered ${last}`);
    return status === 200 && reply;
  }).catch((error: unknown) => {
    throw new Error(`${error}; the last was answered ${last}`);
  });
  return paid.body.paymentAuthorization as KnownPayment;
}

/** One that waits for its capture. */
export function authorizedPayment(shop: Shop): Promise<KnownPayment> {
  return newPayment(shop, { payment: { ...SALE, captureType: 'pa' } });
}

/** A stored card that paid once. */
export async function chargedCard(shop: Shop): Promise<string> {
  const vaultId = await storeCard(shop);
  await pay(shop, async () => paymentRequest('', AMOUNT, { cardInfo: { vaultId } }));
  return vaultId;
}
