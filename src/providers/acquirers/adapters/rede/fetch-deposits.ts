import type { RedeDebit, RedeDeposit, RedePaidInstallment } from '#settlement-files';
import { type Fields, fieldsOf } from '../../../../platform/channels/answer-fields.ts';
import { type Day, isDay } from '../../../../values/instant.ts';
import { NoStatement, type StatementWire } from './statement-wire.ts';

type Wire = Pick<StatementWire, 'get'>;

const STATEMENT = '/merchant-statement';
const PAGE_SIZE = '100';
const MOST_PAGES = 20_000;
const OF_DEPOSITS = { path: `${STATEMENT}/v1/payments`, member: 'payments' };

/** What Rede paid to a bank on a day, deposit by deposit. Throws `NoStatement`. */
export async function* fetchDeposits(
  wire: Wire,
  establishment: string,
  day: Day,
): AsyncGenerator<RedeDeposit, void, undefined> {
  const reasons = await readReasons(wire, establishment);
  const query = {
    parentCompanyNumber: establishment,
    subsidiaries: establishment,
    startDate: day,
    endDate: day,
  };
  for await (const fields of pagesOf(wire, establishment, OF_DEPOSITS, query)) {
    const at = (name: string) => new Member(fields, name);
    const deposit = at('paymentId').text();
    if (at('paymentDate').day() !== day) throw new NoStatement(`deposit ${deposit} is of another day`);
    yield {
      deposit,
      status: at('status').text(),
      type: at('type').text(),
      brand: at('brandCode').textOr('0'),
      net: at('netAmount').cents(),
      installments: await readInstallments(wire, establishment, deposit),
      debits: await readDebits(wire, establishment, deposit, reasons),
    };
  }
}

async function readInstallments(
  wire: Wire,
  establishment: string,
  deposit: string,
): Promise<RedePaidInstallment[]> {
  const path = `${STATEMENT}/v2/payments/installments/${establishment}/${encodeURIComponent(deposit)}`;
  const found: RedePaidInstallment[] = [];
  for await (const fields of pagesOf(wire, establishment, { path, member: 'installments' }, {})) {
    const at = (name: string) => new Member(fields, name);
    const money = fieldsOf(fields.amountInfo);
    const ofMoney = (name: string) => new Member(money, name).cents();
    found.push({
      nsu: at('nsu').textOr(''),
      soldOn: at('saleDate').day(),
      installmentNumber: at('installmentNumber').count(),
      installmentCount: at('installmentQuantity').count(),
      gross: ofMoney('amount'),
      fee: ofMoney('discountAmount'),
      net: ofMoney('netAmount'),
      batch: at('rvNumber').textOr(''),
      tid: at('tid').textOr(''),
      orderReference: at('orderNumber').textOr(''),
    });
  }
  return found;
}

async function readDebits(
  wire: Wire,
  establishment: string,
  deposit: string,
  reasons: ReadonlyMap<string, string>,
): Promise<RedeDebit[]> {
  const path = `${STATEMENT}/v1/payments/charges/${encodeURIComponent(deposit)}`;
  const { charges } = fieldsOf(await wire.get(path, {}, establishment));
  return listOf(charges).map((charge) => {
    const at = (name: string) => new Member(fieldsOf(charge), name);
    const reason = at('adjustmentTypeCode').text();
    const description = reasons.get(reason) ?? '';
    return { reason, amount: at('debitCompensatedAmount').cents(), description };
  });
}

/** What Rede's numbers of reasons mean. */
async function readReasons(wire: Wire, establishment: string): Promise<ReadonlyMap<string, string>> {
  const types = listOf(await wire.get(`${STATEMENT}/v1/charges/adjustment-types`, {}, establishment));
  return new Map(
    types.map((type) => {
      const fields = fieldsOf(type);
      return [new Member(fields, 'code').text(), new Member(fields, 'description').textOr('')] as const;
    }),
  );
}

/** Every object of all pages. The cursor stands beside the content, or in it. */
async function* pagesOf(
  wire: Wire,
  establishment: string,
  { path, member }: { readonly path: string; readonly member: string },
  query: Readonly<Record<string, string>>,
): AsyncGenerator<Fields, void, undefined> {
  let pageKey: string | null = null;
  const keys = new Set<string>();
  for (let pages = 0; pages < MOST_PAGES; pages += 1) {
    const asked = { ...query, size: PAGE_SIZE, ...(pageKey === null ? {} : { pageKey }) };
    const body = fieldsOf(await wire.get(path, asked, establishment));
    const content = fieldsOf(body.content);
    for (const one of listOf(content[member])) yield fieldsOf(one);
    const { hasNextKey, nextKey } = fieldsOf(body.cursor ?? content.cursor);
    if (hasNextKey !== true) return;
    pageKey = String(nextKey);
    if (keys.has(pageKey)) throw new NoStatement(`${path}: the same page was named twice`);
    keys.add(pageKey);
  }
  throw new NoStatement(`${path}: more than ${MOST_PAGES} pages`);
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** A member of an answer. Without a usable value no statement is written. */
class Member {
  readonly #name: string;
  readonly #value: unknown;

  constructor(fields: Fields, name: string) {
    this.#name = name;
    this.#value = fields[name];
  }

  text(): string {
    const text = this.textOr('');
    return text === '' ? this.#unusable() : text;
  }

  /** The value of a text or a whole number. */
  textOr(otherwise: string): string {
    if (this.#value === null || this.#value === undefined || this.#value === '') return otherwise;
    if (typeof this.#value === 'string') return this.#value.trim();
    return Number.isSafeInteger(this.#value) ? String(this.#value) : this.#unusable();
  }

  day(): Day {
    const text = this.text();
    return isDay(text) ? text : this.#unusable();
  }

  count(): number {
    const number = Number(this.text());
    return Number.isInteger(number) && number >= 0 && number <= 999 ? number : this.#unusable();
  }

  /** Rede writes reais as numbers with up to two decimals. */
  cents(): number {
    const value = this.#value;
    if (typeof value !== 'number' || Math.abs(value) >= 1e12) return this.#unusable();
    const whole = Math.round(value * 100);
    return Math.abs(value * 100 - whole) < 1e-3 ? whole : this.#unusable();
  }

  #unusable(): never {
    throw new NoStatement(`${this.#name} has no value that can be used`);
  }
}
