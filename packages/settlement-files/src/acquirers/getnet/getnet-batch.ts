import type { Day } from '../../day.ts';
import type { EntryKind, SettlementEntry } from '../../entry.ts';
import { bareEntry, installmentOf, keptText, negative, unknownUnder } from '../../records/entry-fields.ts';
import { disagrees, INSTALLMENT_BEYOND, tooMany } from '../../records/faults.ts';
import type { Findings } from '../../records/findings.ts';
import type { RecordValues } from '../../records/fixed-width.ts';
import type { GoodLine } from '../../records/record-lines.ts';
import {
  type GETNET_ADJUSTMENT,
  type GETNET_BATCH,
  GETNET_REASONS,
  type GETNET_SALE,
  GETNET_STATUS,
} from './getnet-layout.ts';

const MOST_LINES = 200_000;
const LINES = { pt: 'linhas em um resumo de vendas (RV)', en: 'lines in a batch (RV)' };
const REAIS = '986';
const MOST_TID = 40;
const CANCELS = new Set(['3', '12']);
/** These do not count their sales. */
const UNCOUNTED = new Set(['RA', 'PR']);

type Held = { readonly entry: SettlementEntry; readonly masked: string };

/** Holds a batch until its end: only then is it known what an anticipation cost each of its sales. */
export class GetnetBatch {
  readonly #stated: RecordValues<typeof GETNET_BATCH>;
  readonly #line: GoodLine;
  readonly #kind: EntryKind;
  readonly #isLater: boolean;
  #sales: Held[] = [];
  readonly #others: Held[] = [];
  #lines = 0;
  #adjustments = 0;
  #accepted = { count: 0, gross: 0, fee: 0 };
  #rejected = { count: 0, gross: 0 };
  #adjusted = 0;

  /** `isLater`: since V10.1 an amount is that of the whole sale, and an installment has its own. */
  constructor(values: RecordValues<typeof GETNET_BATCH>, line: GoodLine, isLater: boolean) {
    this.#stated = values;
    this.#isLater = isLater;
    this.#line = line;
    const word = GETNET_STATUS[values.status]?.split(':')[0] ?? 'unknown';
    this.#kind = values.currency === REAIS ? (word as EntryKind) : 'unknown';
  }

  isOf({ establishment, batch }: { readonly establishment: string; readonly batch: string }): boolean {
    return establishment === this.#stated.establishment && batch === this.#stated.batch;
  }

  /** Under which its money would be pledged, if it has sales whose status does not say who was paid. */
  get unknownKeys(): readonly string[] {
    const { currency, establishment, paymentEstablishment, paymentDay } = this.#stated;
    if (this.#kind !== 'unknown' || currency !== REAIS || this.#sales.length === 0) return [];
    const head = paymentEstablishment?.replace(/^0+/, '') ?? establishment;
    return [establishment, head].map((one) => paidKey(one, paymentDay));
  }

  #holds(line: GoodLine, findings: Findings): boolean {
    this.#lines += 1;
    if (this.#lines === MOST_LINES) findings.fault(line, null, tooMany(LINES, MOST_LINES));
    return this.#lines < MOST_LINES;
  }

  addSale(values: RecordValues<typeof GETNET_SALE>, line: GoodLine, findings: Findings): void {
    if (!this.#holds(line, findings)) return;
    const isDebit = values.sign === '-';
    const isOwn = this.#isLater && values.installmentAmount !== 0;
    const amount = isOwn ? values.installmentAmount : values.amount;
    const gross = isDebit ? negative(amount) : amount;
    const fee = isDebit ? negative(values.fee) : values.fee;
    if (values.status === 'C') {
      this.#accepted.count += 1;
      this.#accepted.gross += gross;
      this.#accepted.fee += fee;
    } else {
      this.#rejected.count += 1;
      this.#rejected.gross += gross;
    }
    if (values.status === 'X') {
      findings.leave('2 canceled');
      return;
    }
    const installment = installmentOf(values.installmentNumber, values.installmentCount);
    if (installment === null) {
      findings.fault(line, 'installmentNumber', INSTALLMENT_BEYOND);
      return;
    }
    const isKnown = values.status === 'C' && values.sign === '+' && this.#kind !== 'unknown';
    const masked = line.masked();
    const entry: SettlementEntry = {
      ...bareEntry(line.lineNumber, isKnown ? this.#kind : 'unknown', values.establishment),
      ...saleNames(values.contentsKind, masked.slice(189, 307)),
      nsu: values.nsu,
      authorizationCode: values.authorizationCode,
      cardLastFour: values.card,
      soldOn: values.soldOn,
      ...installment,
      gross,
      fee,
      net: gross - fee,
      bankOn: this.#stated.paymentDay,
      batch: values.batch,
      receivableUnit: this.#stated.unit,
      description: isKnown ? null : unknownUnder(this.#codes(), `${values.status}${values.sign}`),
    };
    this.#sales.push({ entry, masked });
  }

  addAdjustment(values: RecordValues<typeof GETNET_ADJUSTMENT>, line: GoodLine, findings: Findings): void {
    if (!this.#holds(line, findings)) return;
    const amount = values.sign === '-' ? negative(values.amount) : values.amount;
    this.#adjustments += 1;
    this.#adjusted += amount;
    if (this.#kind === 'sale') {
      findings.leave('3 not yet paid');
      return;
    }
    const kind = this.#kind === 'unknown' ? 'unknown' : kindOfAdjustment(values.reason, values.sign);
    const masked = line.masked();
    const contents = masked.slice(168, 286);
    const hasWords = /^0?[34]$/.test(values.contentsKind ?? '');
    const reason = bareCode(values.reason);
    const words = hasWords ? contents.trim() : null;
    const isOfSale = kind !== 'adjustment' && kind !== 'unknown';
    this.#others.push({
      entry: {
        ...bareEntry(line.lineNumber, kind, values.establishment),
        ...(hasWords ? {} : adjustedSale(values.contentsKind, contents)),
        nsu: values.nsu,
        cardLastFour: values.card,
        soldOn: values.soldOn,
        gross: amount,
        net: amount,
        bankOn: this.#stated.paymentDay,
        batch: isOfSale ? values.originalBatch : null,
        document: values.document,
        description: isOfSale ? null : unknownUnder(reason, words),
      },
      masked,
    });
  }

  close(findings: Findings): void {
    this.#check(findings);
    if (!findings.isClean) return;
    this.#pay();
    for (const { entry, masked } of [...this.#others, ...this.#sales].sort(byLine)) {
      findings.entry(entry, masked);
    }
  }

  #check(findings: Findings): void {
    if (!findings.isClean) return;
    const { status, acceptedCount, rejectedCount, gross, fee, net, sign } = this.#stated;
    const say = (field: string, stated: number, found: number) =>
      stated === found || findings.fault(this.#line, field, disagrees(field, stated, found));
    if (UNCOUNTED.has(status)) return;
    const [accepted, rejected] = [this.#accepted, this.#rejected];
    // Getnet counts adjustments among the accepted; its manual does not say that it always does.
    if (acceptedCount !== accepted.count + this.#adjustments) {
      say('acceptedCount', acceptedCount, accepted.count);
    }
    say('rejectedCount', rejectedCount, rejected.count);
    if (this.#lines === 0 && this.#kind === 'unknown') return;
    const found = accepted.gross - accepted.fee + this.#adjusted;
    say('net', sign === '-' ? negative(net) : net, found);
    if (this.#adjustments > 0) return;
    if (gross !== Math.abs(accepted.gross + rejected.gross)) say('gross', gross, Math.abs(accepted.gross));
    say('fee', fee, Math.abs(accepted.fee));
  }

  /** The batch's credit is less than its sales by a tariff and the cost of an anticipation. */
  #pay(): void {
    if (this.#lines === 0) {
      const { status, net, sign, operation } = this.#stated;
      const amount = sign === '-' ? negative(net) : net;
      this.#others.push(this.#own('unknown', amount, unknownUnder(status, operation)));
      return;
    }
    if (this.#kind !== 'payout' && this.#kind !== 'anticipation') return;
    const { net, credit, tariff, charges, operationCost } = this.#stated;
    const isAhead = this.#kind === 'anticipation';
    const costs = isAhead ? [charges, operationCost, 0] : [0];
    const lacking = net - credit;
    const cost = costs.find((one) => lacking === one || lacking === one + tariff);
    if (cost === undefined) {
      this.#sales = this.#sales.map((sale) => this.#unknown(sale, lacking));
      return;
    }
    if (lacking !== cost) this.#others.push(this.#own('adjustment', negative(tariff), 'tarifa'));
    if (isAhead) this.#sales = divided(this.#sales, cost);
  }

  #unknown({ entry, masked }: Held, lacking: number): Held {
    const description = unknownUnder(this.#stated.status, `credit ${-lacking}`);
    return { entry: { ...entry, kind: 'unknown', description }, masked };
  }

  #own(kind: EntryKind, amount: number, description: string | null): Held {
    const { establishment, paymentDay, batch } = this.#stated;
    const entry = { ...bareEntry(this.#line.lineNumber, kind, establishment), gross: amount, net: amount };
    return { entry: { ...entry, bankOn: paymentDay, batch, description }, masked: this.#line.masked() };
  }

  #codes(): string {
    const { status, currency } = this.#stated;
    return currency === REAIS ? status : `${status} ${currency}`;
  }
}

export function paidKey(establishment: string, day: Day): string {
  return `${establishment} ${day}`;
}

function byLine(one: Held, other: Held): number {
  return one.entry.lineNumber - other.entry.lineNumber;
}

/** By net amount, to the cent: each share is the share of the sum so far, less the shares before. */
function divided(sales: readonly Held[], cost: number): Held[] {
  const whole = sales.reduce((sum, { entry }) => sum + (entry.net ?? 0), 0);
  let [passed, given] = [0, 0];
  return sales.map(({ entry, masked }) => {
    passed += entry.net ?? 0;
    const due = whole === 0 ? 0 : Number((BigInt(cost) * BigInt(passed)) / BigInt(whole));
    const anticipationFee = due - given;
    given = due;
    return { entry: { ...entry, anticipationFee, net: (entry.net ?? 0) - anticipationFee }, masked };
  });
}

function kindOfAdjustment(code: string, sign: string): EntryKind {
  const reason = bareCode(code);
  if (GETNET_REASONS[reason] === undefined) return 'unknown';
  const isCredit = sign === '+';
  if (CANCELS.has(reason)) return isCredit ? 'cancelReversal' : 'cancel';
  if (reason === '4') return isCredit ? 'chargebackReversal' : 'chargeback';
  if (reason === '16') return isCredit ? 'chargebackReversal' : 'unknown';
  return 'adjustment';
}

function bareCode(code: string): string {
  return code.replace(/^0+/, '');
}

type Names = Pick<SettlementEntry, 'tid' | 'orderReference'>;

function saleNames(kind: string | null, contents: string): Names {
  switch (bareCode(kind ?? '')) {
    case '1':
      return { tid: null, orderReference: nameIn(contents, 0, 36) };
    case '2':
      return { tid: tidIn(contents, 0), orderReference: nameIn(contents, 42, 78) };
    case '3':
      return { tid: tidIn(contents, 75), orderReference: nameIn(contents, 0, 36) };
    case '5':
      return { tid: tidIn(contents, 0), orderReference: nameIn(contents, 42, 107) };
    default:
      return { tid: null, orderReference: null };
  }
}

function adjustedSale(kind: string | null, contents: string): Names {
  const code = bareCode(kind ?? '');
  return {
    tid: code === '1' || code === '2' ? tidIn(contents, 0) : null,
    orderReference: code === '2' ? nameIn(contents, 42, 78) : null,
  };
}

function tidIn(contents: string, from: number): string | null {
  return nameIn(contents, from, from + 42)?.slice(0, MOST_TID) ?? null;
}

/** null also if it was masked. */
function nameIn(contents: string, from: number, to: number): string | null {
  const name = contents.slice(from, to).trim();
  return name === '' || /^0+$/.test(name) || name.includes('*') ? null : keptText(name);
}
