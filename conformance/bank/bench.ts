import { randomInt } from 'node:crypto';
import { type Exchange, HttpClient } from '../http-client.ts';
import { type Form, type Point, textForm } from '../point.ts';

/** How the bank is asked, and what it makes of which boleto. */
export type BankBenchOptions = {
  readonly token: string | null;
  readonly merchantId: string;
  readonly otherMerchantId: string;
  /** Cents of a boleto that it refuses, and of one that is paid on its due day; null: none is known. */
  readonly refusedValue: number | null;
  readonly paidValue: number | null;
};

/** What a point works with. */
export type BankBench = Omit<BankBenchOptions, 'token'> & { readonly bank: HttpClient };
export type BankPoint = Point<BankBench>;

export function openBankBench(url: string, { token, ...rest }: BankBenchOptions): BankBench {
  return { bank: new HttpClient(url, token), ...rest };
}

const DAY_MILLISECONDS = 86_400_000;

export function dayFromNow(count: number): string {
  return new Date(Date.now() + count * DAY_MILLISECONDS).toISOString().slice(0, 10);
}

/** After all that can become of what is registered here. */
export function afterAll(): string {
  return new Date(Date.now() + 40 * DAY_MILLISECONDS).toISOString();
}

/** A number that was never used. */
function newNumber(): string {
  return String(randomInt(1e11 - 1)).padStart(11, '0');
}

export type Boleto = Record<string, unknown> & {
  readonly merchantId: string;
  readonly ourNumber: string;
  readonly amount: number;
};

/** A boleto that is registered, save for what is given. */
export function boleto({ merchantId }: BankBench, changed: object = {}): Boleto {
  return {
    merchantId,
    ourNumber: newNumber(),
    amount: 25_000,
    issuedOn: dayFromNow(0),
    dueOn: dayFromNow(5),
    payableUntil: dayFromNow(10),
    payer: {
      name: 'Ana Souza',
      documentNumber: '52998224725',
      email: null,
      address: {
        street: 'Rua das Flores',
        number: '100',
        complement: null,
        district: 'Centro',
        city: 'São Paulo',
        state: 'SP',
        zipCode: '01001000',
      },
    },
    instructions: ['Conformance'],
    finePortion: 200,
    interestPortion: 100,
    discount: null,
    ...changed,
  };
}

export function register({ bank }: BankBench, asked: Boleto): Promise<Exchange> {
  return bank.post('/boletos', asked);
}

export function lookUp({ bank }: BankBench, { merchantId, ourNumber }: Boleto): Promise<Exchange> {
  return bank.get(`/boletos/${ourNumber}?merchantId=${encodeURIComponent(merchantId)}`);
}

export function cancel({ bank }: BankBench, { merchantId, ourNumber }: Boleto): Promise<Exchange> {
  return bank.post(`/boletos/${ourNumber}/cancel`, { merchantId, requestedAt: new Date().toISOString() });
}

export function changeDueDay(
  { bank }: BankBench,
  { merchantId, ourNumber }: Boleto,
  days: { readonly dueOnBefore: string; readonly dueOn: string; readonly payableUntil: string },
): Promise<Exchange> {
  const requestedAt = new Date().toISOString();
  return bank.post(`/boletos/${ourNumber}/due-day`, { merchantId, requestedAt, ...days });
}

export const PIX_CODE: Form = {
  form: 'a BR Code, or null',
  isFit: (value) => value === null || textForm('', /^000201.{1,500}6304[0-9A-F]{4}$/).isFit(value),
};

/** The first factor was 1000, and 1000 came again after 9999 on this day. */
const FACTORS_FROM = '2000-07-03';
const FIRST_FACTOR = 1_000;
const FACTORS = 9_000;

/** 44 digits of the bank that name value and due day, and whose check digit is right. */
export function barCodeOf(bankCode: string, { amount, dueOn }: Boleto): Form {
  const days = (Date.parse(String(dueOn)) - Date.parse(FACTORS_FROM)) / DAY_MILLISECONDS;
  const factor = FIRST_FACTOR + (days % FACTORS);
  const tail = `${factor}${String(amount).padStart(10, '0')}`;
  return {
    form: `${bankCode}9, a check digit, ${tail}, 25 digits`,
    isFit: (value) =>
      typeof value === 'string' &&
      /^\d{44}$/.test(value) &&
      value.startsWith(`${bankCode}9`) &&
      value.slice(5, 19) === tail &&
      value[4] === checkDigit(value.slice(0, 4) + value.slice(5)),
  };
}

function checkDigit(digits: string): string {
  let sum = 0;
  for (const [index, digit] of [...digits].reverse().entries()) sum += Number(digit) * ((index % 8) + 2);
  const rest = 11 - (sum % 11);
  return rest >= 10 ? '1' : String(rest);
}
