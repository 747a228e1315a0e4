import { type Static, Type } from 'typebox';
import type { NamedCard } from '../cards/card.ts';
import { contract, type Fault, type Sound } from '../platform/http/endpoint.ts';
import { FAILURES } from '../platform/http/failures.ts';
import { type RefusalShape, refusal } from '../platform/http/refusal.ts';
import { REQUIRED } from '../platform/http/schema-faults.ts';
import type { AcquirerCapabilities } from '../providers/acquirers/acquirer.ts';
import { DECLINE_ANSWER } from '../providers/acquirers/endpoints.ts';
import {
  checkSplit,
  readSplit,
  SPLIT_ANSWER,
  SPLIT_EXAMPLE,
  SPLIT_PAGES_ANSWER,
  SPLIT_REQUEST,
} from '../transactions/split-contract.ts';
import { CARD_BRANDS } from '../values/card-number.ts';
import { type Cents, MAX_PAYMENT_CENTS, MOST_INSTALLMENTS } from '../values/cents.ts';
import { LONGEST_SOFT_DESCRIPTOR } from '../values/soft-descriptor.ts';
import { type CallRules, callbackUrl, checkCallback } from '../webhooks/posting/url-rules.ts';
import {
  checkAuthentication,
  FAMILY_CHECKED,
  FAMILY_FIELDS,
  ONE_AUTHENTICATION,
  readAuthentication,
  THREE_D_SECURE,
  THREE_D_SECURE_ANSWER,
} from './authentication-contract.ts';
import { BUYER_REQUEST, readBuyer } from './buyer-contract.ts';
import { CAPTURE_UNTIL } from './messages-contract.ts';
import type { Payment } from './payment.ts';

export { writeDecline, writeRetryLimit } from '../providers/acquirers/endpoints.ts';

import { both, has, isWord, lacks, when, withField } from '../platform/http/checked.ts';
import { named, orNull } from '../platform/http/named.ts';

const text = (maxLength: number) => Type.Optional(Type.String({ maxLength }));

const PAYMENT_REQUEST = named(
  'PaymentRequest',
  {
    payment: named(
      'PaymentTermsRequest',
      {
        transactionType: Type.Enum(['credit']),
        amount: Type.Integer({ minimum: 1, maximum: MAX_PAYMENT_CENTS, description: 'Cents.' }),
        productType: Type.Enum(['avista', 'lojista'], {
          description: 'avista: one payment; lojista: installments.',
        }),
        installments: Type.Integer({ minimum: 1, maximum: 99 }),
        captureType: Type.Optional(
          Type.Enum(['ac', 'pa'], {
            description: 'ac (the default): authorize and capture; pa: authorize only, and capture later.',
          }),
        ),
      },
      {
        checked: when(
          isWord('productType', 'avista'),
          withField('installments', { const: 1 }),
          withField('installments', { type: 'integer', minimum: 2 }),
        ),
      },
    ),
    referenceTransaction: text(50),
    urlCallBack: Type.Optional(
      Type.String({
        maxLength: 500,
        format: 'webAddress',
        description: 'A public address, https in production: the result and later changes are posted there.',
      }),
    ),
    threeDSecure: Type.Optional(THREE_D_SECURE),
    sellerInfo: named(
      'SellerInfoRequest',
      {
        codeAntiFraud: Type.String({ maxLength: 36, format: 'guid' }),
        softDescriptor: Type.Optional(
          Type.String({
            maxLength: LONGEST_SOFT_DESCRIPTOR,
            format: 'softDescriptor',
            description:
              "What the buyer reads on the card's statement: letters without accents, digits, blanks and `.-*`. Absent: your default, which the operator keeps.",
          }),
        ),
        ...FAMILY_FIELDS,
      },
      { checked: FAMILY_CHECKED },
    ),
    configSplit: SPLIT_REQUEST,
    cardInfo: named(
      'CardInfoRequest',
      {
        numberToken: Type.Optional(
          Type.String({
            maxLength: 128,
            mayHoldCard: true,
            reads: 'smallLetters',
            description: 'This, encryptedCard or vaultId, exactly one; needs the expiry beside it.',
          }),
        ),
        vaultId: Type.Optional(
          Type.String({
            maxLength: 36,
            description:
              'A stored card. What else stands here must be as it was stored; a security code says that the holder is there.',
          }),
        ),
        cardholderName: Type.Optional(
          Type.String({
            maxLength: 30,
            format: 'visibleText',
            description: 'Required with numberToken, else where the encrypted card lacks it.',
          }),
        ),
        securityCode: Type.Optional(Type.String({ maxLength: 4, format: 'securityCode' })),
        brand: Type.Optional(Type.Enum([...CARD_BRANDS])),
        expirationMonth: Type.Optional(Type.String({ maxLength: 2, format: 'month' })),
        expirationYear: Type.Optional(Type.String({ maxLength: 2, format: 'twoDigits' })),
        encryptedCard: Type.Optional(
          Type.String({
            maxLength: 2_048,
            mayHoldCard: true,
            description: 'Base64 in one line; see the public key.',
          }),
        ),
      },
      {
        checked: when(
          has('numberToken'),
          both(lacks('encryptedCard', 'vaultId'), has('cardholderName', 'expirationMonth', 'expirationYear')),
          when(has('encryptedCard'), lacks('vaultId'), has('vaultId')),
        ),
      },
    ),
    customer: Type.Optional(BUYER_REQUEST),
  },
  { checked: ONE_AUTHENTICATION },
);
type PaymentRequest = Static<typeof PAYMENT_REQUEST>;

export const PAYMENT_FAULTS = {
  oneInstallment: refusal(400, 'payment.installments', {
    pt: 'Pagamento avista tem exatamente 1 parcela.',
    en: 'A payment of type avista has exactly 1 installment.',
  }),
  severalInstallments: refusal(400, 'payment.installments', {
    pt: 'Pagamento lojista tem de 2 a 99 parcelas.',
    en: 'A payment of type lojista has 2 to 99 installments.',
  }),
  captureLaterNotOffered: refusal(400, 'payment.captureType', {
    pt: 'A adquirente não oferece captura posterior (pa). Envie captureType ac, ou não o envie.',
    en: 'The acquirer does not offer to capture later (pa). Send captureType ac, or leave it out.',
  }),
  oneCardSource: refusal(400, 'cardInfo.numberToken', {
    pt: 'Informe exatamente um entre numberToken, encryptedCard e vaultId.',
    en: 'Give exactly one of numberToken, encryptedCard and vaultId.',
  }),
} as const satisfies Record<string, RefusalShape>;

type Loose = Record<string, unknown> | undefined;

/** The body may be malformed in any way: the schema reports wrong types. */
export function checkPayment(
  minimumInstallment: Cents,
  capabilities: () => Pick<AcquirerCapabilities, 'largestInstallments' | 'captureLater' | 'threeDSecure'>,
  callRules: CallRules,
): (body: unknown) => Fault[] {
  return (body) => {
    const { payment, cardInfo, configSplit, urlCallBack, ...rest } = (body ?? {}) as {
      payment: Loose;
      cardInfo: Loose;
      configSplit?: unknown;
      urlCallBack?: unknown;
    };
    const faults: Fault[] = [];
    const { largestInstallments, captureLater, threeDSecure } = capabilities();
    if (typeof payment === 'object')
      faults.push(...checkInstallments(payment, minimumInstallment, largestInstallments));
    if (typeof payment === 'object' && payment.captureType === 'pa' && !captureLater)
      faults.push(PAYMENT_FAULTS.captureLaterNotOffered);
    faults.push(...checkAuthentication(rest, threeDSecure));
    if (typeof cardInfo === 'object') faults.push(...checkCardSource(cardInfo));
    if (Array.isArray(configSplit)) faults.push(...checkSplit(configSplit));
    if (typeof urlCallBack === 'string') faults.push(...checkCallback(callRules, urlCallBack));
    return faults;
  };
}

function checkInstallments(
  payment: Record<string, unknown>,
  minimum: Cents,
  /** The acquirer's limit. */
  largest: number,
): Fault[] {
  const { productType, installments, amount } = payment;
  if (typeof installments !== 'number') return [];
  if (productType === 'avista' && installments !== 1) return [PAYMENT_FAULTS.oneInstallment];
  if (productType === 'lojista' && installments < 2) return [PAYMENT_FAULTS.severalInstallments];
  // The schema refuses more than any acquirer takes.
  if (installments > largest && installments <= MOST_INSTALLMENTS) {
    const pt = `A adquirente aceita no máximo ${largest} parcela(s).`;
    const en = `The acquirer takes ${largest} installment(s) at most.`;
    return [{ tag: 'payment.installments', sentence: { pt, en } }];
  }
  // A wrong amount has a fault of its own.
  if (typeof amount !== 'number' || amount < 1 || Math.floor(amount / installments) >= minimum) return [];
  return [
    {
      tag: 'payment.installments',
      sentence: {
        pt: `Cada parcela deve ter pelo menos ${minimum} centavo(s).`,
        en: `Each installment must be at least ${minimum} cent(s).`,
      },
    },
  ];
}

function checkCardSource(cardInfo: Record<string, unknown>): Fault[] {
  const { numberToken, encryptedCard, vaultId } = cardInfo;
  // What an encrypted card lacks is known once it is opened.
  const isNameNeeded = vaultId === undefined && (numberToken !== undefined || encryptedCard === undefined);
  const needed = [
    ...(isNameNeeded ? ['cardholderName'] : []),
    ...(numberToken === undefined ? [] : ['expirationMonth', 'expirationYear']),
  ];
  const faults: Fault[] = needed
    .filter((field) => cardInfo[field] === undefined)
    .map((field) => ({ tag: `cardInfo.${field}`, sentence: REQUIRED }));
  const sources = [numberToken, encryptedCard, vaultId].filter((cardSource) => cardSource !== undefined);
  const concerns = ['cardInfo.encryptedCard', 'cardInfo.vaultId'];
  return sources.length === 1 ? faults : [{ ...PAYMENT_FAULTS.oneCardSource, concerns }, ...faults];
}

const PAYMENT_EXAMPLE = {
  payment: { transactionType: 'credit', amount: 12_990, productType: 'lojista', installments: 3 },
  referenceTransaction: 'PEDIDO-1001',
  sellerInfo: { codeAntiFraud: '6f1c4f0e-3b55-4c9c-9a57-0a3a6f1b2c3d', softDescriptor: 'LOJA*PEDIDO 1' },
  cardInfo: {
    numberToken: 'f0b1c7de-2f0e-4d35-9a57-6d1f2c3b4a59',
    cardholderName: 'ANA SOUZA',
    securityCode: '123',
    brand: 'mastercard',
    expirationMonth: '12',
    expirationYear: '30',
  },
  configSplit: [{ documentNumberBeneficiary: '11222333000181', percent: 10.5, type: 'bruto' }],
  customer: { documentType: 'cpf', documentNumber: '52998224725', firstName: 'Ana', lastName: 'Souza' },
};

const EXAMPLE_ID = '0199c1f2-6a2b-7c11-9a3e-5d1f0c7b2a44';
const PAYMENT_ID = Type.String({ description: 'Of the payment that failed; also in X-Payment-Id.' });
const PAYMENT_ID_HEADER = ['X-Payment-Id'];

const DECLINE_OR_REFUSAL = {
  ...DECLINE_ANSWER,
  headers: PAYMENT_ID_HEADER,
  description:
    'Declined: no charge was made. The tag is the code of the issuer, or, when nobody was asked, `antifraud` (the sale was ' +
    'rejected) or `retryLimit` (the card was declined before, and its network would fine or forbid another try).',
  example: (DECLINE_ANSWER.example as object[]).map((decline) => ({ ...decline, paymentId: EXAMPLE_ID })),
};

const PAYMENT_ANSWERS = {
  200: {
    links: {
      getPayment: { paymentId: '/paymentAuthorization/paymentId' },
      cancelPayment: { paymentId: '/paymentAuthorization/paymentId' },
      capturePayment: { paymentId: '/paymentAuthorization/paymentId' },
    },
    description: 'Approved, or with captureType pa authorized: then nothing is charged yet.',
    headers: PAYMENT_ID_HEADER,
    schema: named('CreatedPayment', {
      paymentAuthorization: named('PaymentAuthorization', {
        returnCode: Type.String(),
        description: Type.String(),
        paymentId: Type.String(),
        authorizationCode: Type.String(),
        nsu: Type.String(),
        amount: Type.Integer(),
        installments: Type.Integer(),
        referenceTransaction: orNull(Type.String()),
        releaseAt: Type.String(),
        captureUntil: Type.Optional(CAPTURE_UNTIL),
        threeDSecure: THREE_D_SECURE_ANSWER,
        split: Type.Optional(SPLIT_ANSWER),
        ...SPLIT_PAGES_ANSWER,
      }),
    }),
    example: {
      paymentAuthorization: {
        returnCode: '0',
        description: 'Sucesso',
        paymentId: EXAMPLE_ID,
        authorizationCode: 'A1B2C3',
        nsu: '1000000042',
        amount: 12_990,
        installments: 3,
        referenceTransaction: 'PEDIDO-1001',
        releaseAt: '2026-11-21T10:00:00.123-03:00',
        split: SPLIT_EXAMPLE,
      },
    },
  },
  402: DECLINE_OR_REFUSAL,
  500: {
    description:
      'The acquirer gave no clear answer: no charge stays. With a paymentId once there is a payment.',
    headers: PAYMENT_ID_HEADER,
    schema: Type.Array(
      named('PaymentProblem', {
        tag: Type.String(),
        description: Type.String(),
        paymentId: Type.Optional(PAYMENT_ID),
      }),
    ),
    example: [{ tag: '', description: FAILURES.unknownFailure.sentence.pt, paymentId: EXAMPLE_ID }],
  },
};

/** `checkPayment` adds the rules that depend on settings. */
export const CREATE_PAYMENT = contract({
  id: 'createPayment',
  method: 'POST',
  path: '/v1/payments',
  api: 'gateway',
  scope: 'gateway',
  group: 'Payments',
  summary: 'Charge a card',
  description:
    '200 means one live charge of exactly that amount. An error answer means that no charge stays. No answer (a lost ' +
    'connection) means one or none, never two. A stored card (vaultId) is charged as its holder the first time and ' +
    'when a security code or an authentication is given, else as the merchant.',
  isRepeatable: true,
  body: PAYMENT_REQUEST,
  bodyExample: PAYMENT_EXAMPLE,
  answers: PAYMENT_ANSWERS,
});

export function readPaymentRequest(body: PaymentRequest): Payment {
  const { payment, cardInfo, customer } = body;
  return {
    amount: payment.amount as Cents,
    installmentCount: payment.installments,
    isCapturedLater: payment.captureType === 'pa',
    referenceTransaction: body.referenceTransaction ?? null,
    callbackUrl: callbackUrl(body.urlCallBack ?? null),
    antiFraudCode: body.sellerInfo.codeAntiFraud,
    softDescriptor: body.sellerInfo.softDescriptor ?? null,
    authentication: readAuthentication(body.threeDSecure, body.sellerInfo),
    card: readCard(cardInfo),
    buyer: readBuyer(customer ?? {}),
    customer: customer === undefined ? null : JSON.stringify(customer),
    split: readSplit(body.configSplit),
  };
}

export function readSoundSale({ cardInfo, sellerInfo }: Sound<PaymentRequest>): {
  card: NamedCard;
  antiFraudCode: string | null;
} {
  return { card: readCard(cardInfo ?? {}), antiFraudCode: sellerInfo?.codeAntiFraud ?? null };
}

function readCard(cardInfo: Sound<PaymentRequest['cardInfo']>): NamedCard {
  return {
    numberToken: cardInfo.numberToken ?? null,
    encryptedCard: cardInfo.encryptedCard ?? null,
    vaultId: cardInfo.vaultId ?? null,
    holderName: cardInfo.cardholderName ?? null,
    securityCode: cardInfo.securityCode ?? null,
    brand: cardInfo.brand ?? null,
    expirationMonth: cardInfo.expirationMonth ?? null,
    expirationYear: cardInfo.expirationYear ?? null,
  };
}
