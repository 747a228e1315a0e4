import { PRODUCTION_RULES } from '../../src/antifraud/velocity.ts';
import { SPLIT_KINDS } from '../../src/transactions/split.ts';

/** One way to pay: what differs between requests of one kind. */
export type PaymentShape = {
  readonly installments: number;
  /** CNPJs that get a part of the sale. */
  readonly beneficiaries: readonly string[];
};

export type PaymentKind = {
  readonly name: string;
  readonly title: string;
  readonly cardSource: 'numberToken' | 'vaultId' | 'encryptedCard';
  /** Sent one after the other, over and over. */
  readonly shapes: readonly PaymentShape[];
  /** Whether each request has an `Idempotency-Key` of its own. */
  readonly isKeyed: boolean;
  /** Whether anti-fraud counts each try. */
  readonly isCounted: boolean;
};

/** The service's settings where every try is counted. */
export const COUNTING_SETTINGS = {
  // Production's rules with thresholds that no run reaches: everything is counted, nothing is refused.
  PARCELA_ANTIFRAUD_RULES: PRODUCTION_RULES.replaceAll(/\/\d+=/g, '/500='),
};

const PLAIN: PaymentShape = { installments: 1, beneficiaries: [] };
const IN_PARTS: PaymentShape = { installments: 3, beneficiaries: [] };
const DIVIDED: PaymentShape = { installments: 3, beneficiaries: ['11222333000181', '11444777000161'] };

/**
 * Half of the sales at once, half in three installments, and half of those divided between two
 * beneficiaries.
 */
const MERCHANTS_MIX = [PLAIN, IN_PARTS, PLAIN, DIVIDED];

export const PAYMENT_KINDS = {
  token: {
    name: 'token',
    title: 'card token, at once',
    cardSource: 'numberToken',
    shapes: [PLAIN],
    isKeyed: false,
    isCounted: false,
  },
  merchant: {
    name: 'merchant',
    title: "a merchant's",
    cardSource: 'vaultId',
    shapes: MERCHANTS_MIX,
    isKeyed: true,
    isCounted: false,
  },
  rules: {
    name: 'rules',
    title: "a merchant's, tries counted",
    cardSource: 'vaultId',
    shapes: MERCHANTS_MIX,
    isKeyed: true,
    isCounted: true,
  },
  stored: {
    name: 'stored',
    title: 'stored card, at once',
    cardSource: 'vaultId',
    shapes: [PLAIN],
    isKeyed: false,
    isCounted: false,
  },
  encrypted: {
    name: 'encrypted',
    title: 'encrypted card, at once',
    cardSource: 'encryptedCard',
    shapes: [PLAIN],
    isKeyed: false,
    isCounted: false,
  },
} as const satisfies Record<string, PaymentKind>;

/** The kinds of these names. */
export function kindsNamed(names: readonly string[]): PaymentKind[] {
  return names.map((name) => {
    const kind = (PAYMENT_KINDS as Record<string, PaymentKind>)[name];
    if (kind === undefined) throw new Error(`KINDS: ${name} is none of ${Object.keys(PAYMENT_KINDS)}`);
    return kind;
  });
}

export const AMOUNT = 12_990;
/** Of each beneficiary. */
const PERCENT = 10.5;
export const ANTI_FRAUD_CODE = '6f1c4f0e-3b55-4c9c-9a57-0a3a6f1b2c3d';

/** Where carrier, buyer and number of the request go. */
export const CARRIER_MARK = '@CARRIER@';
export const BUYER_MARK = '@BUYER@';
export const NUMBER_MARK = '@NUMBER@';

/** The customer of a payment; each buyer has a document and an address of its own. */
export const CUSTOMER = {
  documentType: 'cpf',
  documentNumber: `529${BUYER_MARK}`,
  firstName: 'Ana',
  lastName: 'Souza',
  email: `ana.${BUYER_MARK}@example.com`,
  city: 'Sao Paulo',
  state: 'SP',
  country: 'BR',
};

/** What the service keeps of a split, as JSON. */
export function recordedSplit({ beneficiaries }: PaymentShape): string | null {
  if (beneficiaries.length === 0) return null;
  const entries = beneficiaries.map((beneficiary) => ({ beneficiary, portion: PERCENT * 100 }));
  return JSON.stringify({ kind: SPLIT_KINDS[0], entries, feePortion: 0 });
}

/** The body of a request of this shape, with marks where requests differ. */
export function bodyTemplate(
  { cardSource }: PaymentKind,
  { installments, beneficiaries }: PaymentShape,
): string {
  const card = {
    cardholderName: 'ANA SOUZA',
    securityCode: '123',
    brand: 'mastercard',
    expirationMonth: '12',
    expirationYear: '39',
  };
  const split = beneficiaries.map((beneficiary) => ({
    documentNumberBeneficiary: beneficiary,
    percent: PERCENT,
    type: 'bruto',
  }));
  return JSON.stringify({
    payment: {
      transactionType: 'credit',
      amount: AMOUNT,
      productType: installments === 1 ? 'avista' : 'lojista',
      installments,
    },
    referenceTransaction: `PEDIDO-${NUMBER_MARK}`,
    sellerInfo: { codeAntiFraud: ANTI_FRAUD_CODE },
    ...(split.length === 0 ? {} : { configSplit: split }),
    cardInfo: {
      [cardSource]: CARRIER_MARK,
      // A stored card has its name and expiry with it; the holder gives the code on the back.
      ...(cardSource === 'vaultId' ? { securityCode: card.securityCode } : card),
    },
    customer: CUSTOMER,
  });
}
