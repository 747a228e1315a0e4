import type { Brand } from '../kit/cards/decline-codes.ts';
import { endOfDay, isDay } from '../kit/days.ts';
import { groupsOf } from '../kit/files/file-content.ts';
import { orderNumberOf } from '../kit/files/file-fields.ts';
import { batchOf } from '../kit/files/file-rede.ts';
import type { FileRow } from '../kit/files/file-rows.ts';
import { rowsOf } from '../kit/sales/rows.ts';
import type { Answer, Question } from '../kit/sales/server.ts';
import type { Rede } from './rede.ts';

/** What the statement API answers to who asks for the money of days that are over. */

const ROOT = '/merchant-statement';
const PAYMENTS = `${ROOT}/v1/payments`;
const ADJUSTMENTS = `${ROOT}/v1/charges/adjustment-types`;
const INSTALLMENTS = /\/merchant-statement\/v2\/payments\/installments\/(\d+)\/(\w+)$/;
const CHARGES = /\/merchant-statement\/v1\/payments\/charges\/(\w+)$/;
const BRAND_CODES: Readonly<Record<Brand, number>> = {
  mastercard: 1,
  visa: 2,
  hipercard: 7,
  amex: 13,
  elo: 14,
};
const CANCELED = 18;
const DISPUTED = 22;
const REASONS = [
  { code: CANCELED, description: 'cancelamento de vendas' },
  { code: DISPUTED, description: 'contestação de venda' },
];
const MOST_OF_PAGE = 100;
const NOTHING: Answer = { status: 204, body: null };

type Deposit = {
  readonly paymentId: string;
  readonly day: string;
  readonly rows: readonly FileRow[];
  readonly isEarly: boolean;
  readonly debits: readonly { readonly code: number; readonly amount: number }[];
};

export function isOfStatement(path: string): boolean {
  return path.includes(`${ROOT}/`);
}

export function statementAnswer(rede: Rede, merchantId: string, { path, query, headers }: Question): Answer {
  if (path.endsWith(ADJUSTMENTS)) return { status: 200, body: REASONS };
  const establishment = query.get('parentCompanyNumber');
  if (path.endsWith(PAYMENTS)) {
    const [day, until] = [query.get('startDate') ?? '', query.get('endDate') ?? ''];
    if (establishment === null) return missing('parentCompanyNumber');
    if (query.get('subsidiaries') === null) return missing('subsidiaries');
    if (!isDay(day) || day !== until) return missing('startDate');
    return paged(
      query,
      'payments',
      depositsOf(rede, merchantId, day).map((one) => paymentOf(one, establishment)),
    );
  }
  const [, , ofInstallments] = INSTALLMENTS.exec(path) ?? [];
  if (ofInstallments !== undefined) {
    const deposit = depositNamed(rede, merchantId, ofInstallments);
    return deposit === null ? NOTHING : paged(query, 'installments', deposit.rows.map(installmentOf));
  }
  const [, ofCharges] = CHARGES.exec(path) ?? [];
  if (ofCharges === undefined) return { status: 404, body: { message: 'Not found' } };
  if (headers['merchant-id'] === undefined)
    return { status: 400, body: { errors: { MerchantId: ['MerchantId is a required field'] } } };
  const debits = depositNamed(rede, merchantId, ofCharges)?.debits ?? [];
  return debits.length === 0 ? NOTHING : { status: 200, body: { charges: debits.map(chargeOf) } };
}

function missing(field: string): Answer {
  return { status: 422, body: { [field]: ['Missing data for required field.'] } };
}

function paged(query: URLSearchParams, member: string, all: readonly object[]): Answer {
  if (all.length === 0) return NOTHING;
  const size = Math.min(Number(query.get('size') ?? MOST_OF_PAGE), MOST_OF_PAGE);
  const from = Number(query.get('pageKey') ?? 0);
  const next = from + size;
  const hasNextKey = next < all.length;
  const cursor = hasNextKey ? { hasNextKey, nextKey: String(next) } : { hasNextKey };
  return { status: 200, body: { content: { [member]: all.slice(from, next) }, cursor } };
}

function depositNamed(rede: Rede, merchantId: string, paymentId: string): Deposit | null {
  const day = `${paymentId.slice(1, 5)}-${paymentId.slice(5, 7)}-${paymentId.slice(7, 9)}`;
  if (!isDay(day)) return null;
  return depositsOf(rede, merchantId, day).find((one) => one.paymentId === paymentId) ?? null;
}

/** One for each brand, and for what is paid early. What is taken back is kept from one that has enough. */
function depositsOf({ house }: Rede, merchantId: string, day: string): Deposit[] {
  if (endOfDay(day) > house.now) return [];
  const rows = rowsOf(house.sales, merchantId, day);
  const groups = groupsOf(
    rows.filter(({ kind }) => kind === 'payout'),
    ({ sale, anticipationFee }) => `${sale.brand} ${anticipationFee > 0}`,
  );
  const owed = rows.flatMap(({ kind, taken }) => {
    const amount = taken.filter(({ wasPaid }) => wasPaid).reduce((sum, one) => sum + one.amount, 0);
    return amount === 0 ? [] : [{ code: kind === 'cancel' ? CANCELED : DISPUTED, amount }];
  });
  return groups.map((members, index) => {
    let left = netOf(members);
    const debits = [];
    while (owed[0] !== undefined && owed[0].amount <= left) {
      left -= owed[0].amount;
      debits.push(owed.shift() as (typeof owed)[number]);
    }
    const paymentId = `P${day.replaceAll('-', '')}${String(index + 1).padStart(3, '0')}`;
    return { paymentId, day, rows: members, isEarly: (members[0]?.anticipationFee ?? 0) > 0, debits };
  });
}

const netOf = (rows: readonly FileRow[]) => rows.reduce((sum, { net }) => sum + net, 0);
const reais = (cents: number) => cents / 100;

function paymentOf({ paymentId, day, rows, isEarly, debits }: Deposit, establishment: string): object {
  const kept = debits.reduce((sum, { amount }) => sum + amount, 0);
  const type = isEarly ? { type: 'ANTICIPATION', typeCode: 'ANT' } : { type: 'CREDIT', typeCode: 'CRE' };
  return {
    ...{ paymentId, paymentDate: day, bankCode: 341, bankBranchCode: 1500, accountNumber: 12345 },
    brandCode: BRAND_CODES[rows[0]?.sale.brand ?? 'visa'],
    companyNumber: establishment,
    netAmount: reais(netOf(rows) - kept),
    ...{ status: 'PAID', statusCode: 2, ...type },
  };
}

function installmentOf({ sale, installmentNumber, gross, fee, net }: FileRow): object {
  const amounts = { netAmount: reais(net), amount: reais(gross), discountAmount: reais(fee) };
  return {
    ...{ installmentNumber: installmentNumber ?? 1, installmentQuantity: sale.parts.length },
    ...{ nsu: sale.nsu, rvNumber: Number(batchOf(sale, '')), tid: sale.tid, saleDate: sale.soldOn },
    orderNumber: orderNumberOf(sale.reference, 16),
    amountInfo: { ...amounts, valueChange: false },
  };
}

function chargeOf({ code, amount }: { readonly code: number; readonly amount: number }): object {
  const debits = { debitAmount: reais(amount), debitCompensatedAmount: reais(amount) };
  return { adjustmentTypeCode: code, ...debits, debitToBeCompensatedAmount: 0, quantity: 1 };
}
