import type { Day } from '../../day.ts';
import type { EntryKind, SettlementEntry } from '../../entry.ts';
import { bareEntry, installmentOf, keptText, negative, unknownUnder } from '../../records/entry-fields.ts';
import { disagrees, INSTALLMENT_BEYOND, outOfPlace, tooMany } from '../../records/faults.ts';
import type { FileReading, Findings } from '../../records/findings.ts';
import type { RecordValues } from '../../records/fixed-width.ts';
import type { Format, FormatLayout } from '../../records/format.ts';
import { type GoodLine, onRecord, type RecordHandler, recordLines } from '../../records/record-lines.ts';
import {
  DEPOSIT_STATUS,
  DEPOSIT_TYPES,
  STATEMENT_BRANDS,
  STATEMENT_DEBIT,
  STATEMENT_DEPOSIT,
  STATEMENT_HEADER,
  STATEMENT_INSTALLMENT,
  STATEMENT_RECORDS,
  STATEMENT_TRAILER,
} from './rede-statement-layout.ts';

const MOST_OF_DEPOSIT = 200_000;
const LINES = { pt: 'linhas de um depósito', en: 'lines of a deposit' };

const REDE_STATEMENT_LAYOUT: FormatLayout = {
  title: 'Rede, statement API',
  rules: [
    'RS0, then deposits, then RS9. A deposit is RS1, its RS2, its RS3. `net` of a deposit is the sum of its RS2 less that of its RS3.',
  ],
  typeLength: 3,
  longestLine: 256,
  isTailFree: false,
  records: STATEMENT_RECORDS,
  alike: {},
  leftOut: {},
};

export const REDE_STATEMENT: Format<'redeStatement'> = {
  ...REDE_STATEMENT_LAYOUT,
  format: 'redeStatement',
  pays: true,
  isDaily: true,
  isHeader: (line) => line.startsWith('RS0001'),
  open: (findings) => new RedeStatementFile(findings),
};

type Deposit = {
  readonly stated: RecordValues<typeof STATEMENT_DEPOSIT>;
  readonly line: GoodLine;
  readonly held: { readonly entry: SettlementEntry; readonly masked: string }[];
  installments: number;
  debits: number;
  net: number;
};

class RedeStatementFile implements FileReading {
  readonly trailer = STATEMENT_TRAILER.type;
  readonly #findings: Findings;
  readonly #take: (line: string, lineNumber: number) => void;
  #day: Day | null = null;
  #deposit: Deposit | null = null;
  #depositCount = 0;
  #net = 0;
  #isEnded = false;

  constructor(findings: Findings) {
    this.#findings = findings;
    this.#take = recordLines(REDE_STATEMENT_LAYOUT, this.#handlers(), findings);
  }

  take(line: string, lineNumber: number): void {
    this.#take(line, lineNumber);
  }

  isEnded(): boolean {
    return this.#isEnded;
  }

  #handlers(): RecordHandler[] {
    return [
      onRecord(STATEMENT_HEADER, (values, line) => this.#begin(values, line)),
      onRecord(STATEMENT_DEPOSIT, (stated, line) => {
        this.#close();
        this.#deposit = { stated, line, held: [], installments: 0, debits: 0, net: 0 };
        this.#depositCount += 1;
        this.#net += stated.net;
      }),
      onRecord(STATEMENT_INSTALLMENT, (values, line) => this.#addInstallment(values, line)),
      onRecord(STATEMENT_DEBIT, (values, line) => this.#addDebit(values, line)),
      onRecord(STATEMENT_TRAILER, (values, line) => {
        this.#close();
        const { depositCount, recordCount, net } = values;
        this.#compare(line, 'depositCount', depositCount, this.#depositCount);
        this.#compare(line, 'recordCount', recordCount, line.lineNumber);
        this.#compare(line, 'net', net, this.#net);
        this.#isEnded = true;
      }),
    ];
  }

  #begin({ establishment, day }: RecordValues<typeof STATEMENT_HEADER>, line: GoodLine): void {
    if (line.lineNumber !== 1) {
      this.#findings.fault(line, null, outOfPlace(line.record));
      return;
    }
    this.#day = day;
    const days = { madeOn: day, from: day, to: day };
    const head = { format: 'redeStatement', version: '001', establishment } as const;
    this.#findings.head({ ...head, ...days, sequence: null, isRepetition: false });
  }

  #addInstallment(values: RecordValues<typeof STATEMENT_INSTALLMENT>, line: GoodLine): void {
    const deposit = this.#openDeposit(line);
    if (deposit === null) return;
    const installment = installmentOf(values.installmentNumber, values.installmentCount);
    if (installment === null) {
      this.#findings.fault(line, 'installmentNumber', INSTALLMENT_BEYOND);
      return;
    }
    const { stated } = deposit;
    const { nsu, soldOn, gross, fee, net, batch, tid } = values;
    const kind = kindOf(stated);
    deposit.installments += 1;
    deposit.net += net;
    const entry: SettlementEntry = {
      ...bareEntry(line.lineNumber, kind, stated.establishment),
      ...{ nsu, soldOn, batch, tid, gross, fee, net, ...installment },
      orderReference: keptText(values.orderReference),
      brand: BRANDS[stated.brand?.replace(/^0+/, '') ?? ''] ?? null,
      anticipationFee: kind === 'anticipation' ? gross - fee - net : null,
      bankOn: this.#day,
      document: keptText(stated.deposit),
      description: kind === 'unknown' ? unknownUnder(unknownOf(stated)) : null,
    };
    deposit.held.push({ entry, masked: line.masked() });
  }

  #addDebit({ debitType, amount, description }: RecordValues<typeof STATEMENT_DEBIT>, line: GoodLine): void {
    const deposit = this.#openDeposit(line);
    if (deposit === null) return;
    deposit.debits += 1;
    deposit.net -= amount;
    // Without a payment nothing was kept from it.
    if (deposit.stated.status !== 'PAID') return;
    const taken = { gross: negative(amount), net: negative(amount), bankOn: this.#day };
    const entry: SettlementEntry = {
      ...bareEntry(line.lineNumber, 'adjustment', deposit.stated.establishment),
      ...taken,
      document: keptText(deposit.stated.deposit),
      description: keptText(
        [debitType.replace(/^0+(?=.)/, ''), description].filter((text) => text !== null).join(' '),
      ),
    };
    deposit.held.push({ entry, masked: line.masked() });
  }

  #openDeposit(line: GoodLine): Deposit | null {
    const deposit = this.#deposit;
    if (deposit === null) this.#findings.fault(line, null, outOfPlace(line.record));
    else if (deposit.held.length >= MOST_OF_DEPOSIT)
      this.#findings.fault(line, null, tooMany(LINES, MOST_OF_DEPOSIT));
    else return deposit;
    return null;
  }

  #close(): void {
    const deposit = this.#deposit;
    this.#deposit = null;
    if (deposit === null) return;
    const { stated, line, held, installments, debits, net } = deposit;
    this.#compare(line, 'installmentCount', stated.installmentCount, installments);
    this.#compare(line, 'debitCount', stated.debitCount, debits);
    this.#compare(line, 'net', stated.net, net);
    for (const { entry, masked } of held) this.#findings.entry(entry, masked);
  }

  #compare(line: GoodLine, field: string, stated: number, found: number): void {
    if (this.#findings.isClean && stated !== found)
      this.#findings.fault(line, field, disagrees(field, stated, found));
  }
}

const BRANDS = Object.fromEntries(
  Object.entries(STATEMENT_BRANDS).map(([code, name]) => [code, name.toLowerCase()]),
) as Readonly<Record<string, SettlementEntry['brand']>>;

type Stated = Pick<RecordValues<typeof STATEMENT_DEPOSIT>, 'status' | 'type'>;

function kindOf(stated: Stated): EntryKind {
  if (unknownOf(stated) !== null) return 'unknown';
  const kind = /\(`(\w+)`\)/.exec(DEPOSIT_STATUS[stated.status] ?? '')?.[1] as EntryKind;
  return kind === 'payout' && stated.type === 'ANTICIPATION' ? 'anticipation' : kind;
}

function unknownOf({ status, type }: Stated): string | null {
  if (!(status in DEPOSIT_STATUS)) return status;
  return type in DEPOSIT_TYPES ? null : type;
}
