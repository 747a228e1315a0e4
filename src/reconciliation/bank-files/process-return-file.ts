import type * as files from '#settlement-files';
import { NO_CODE, REMITTANCE_BANKS, readReturnEvents, refusalText } from '#settlement-files';
import type { Actor, Audit } from '../../audit/audit-event.ts';
import { newId } from '../../platform/chance.ts';
import type { Database } from '../../platform/postgres/database.ts';
import {
  type BankAnswer,
  LONGEST_REASON,
  type TakenAnswer,
} from '../../providers/banks/remittances/instruction.ts';
import {
  findNumbered,
  isToldBy,
  type NamedLine,
  type NumberedLine,
} from '../../providers/banks/remittances/instructions.sql.ts';
import { answerInstructions } from '../../providers/banks/remittances/remittances.sql.ts';
import type { Provider } from '../../providers/provider.ts';
import { listProviders } from '../../providers/providers.sql.ts';
import type { FiledBankChange } from '../../transactions/methods/boleto/changes/bank-change.ts';
import {
  type FiledChangeOfBoleto,
  findOurNumbers,
  type KeptCounts,
  keepFiledChanges,
  learnDueDays,
  lockBoletosOfFile,
  resumeChanges,
  takeTurnOfFile,
} from '../../transactions/methods/boleto/changes/filed-changes.sql.ts';
import { cents } from '../../values/cents.ts';
import { type Day, type Instant, instant, startOfSaoPauloDay } from '../../values/instant.ts';
import { type ExceptionRow, NO_MERCHANT, recordExceptions } from '../exceptions/exception-writes.sql.ts';
import type { Ours } from '../settlement-entry.ts';
import { type Doubt, doubtOf, doubtSign } from './doubt.ts';

type ReturnEntry = Ours<files.ReturnEntry>;

export type ProcessedReturnFile = ReturnFile & KeptCounts & { readonly doubtful: readonly DoubtfulAnswer[] };

export type DoubtfulAnswer = Pick<BankAnswer, 'lineNumber' | 'ourNumber' | 'isAccepted'> & {
  readonly takenFor: Doubt;
  /** For a change of the due day. */
  readonly dueOn: Day | null;
};

export type ReturnFileTools = { readonly database: Database; readonly audit: Audit };

/**
 * Takes a whole return file or nothing, and queues its changes. Unknown movements become exceptions. A file
 * that was taken before changes nothing. Throws `ReturnFileRefused`.
 */
export async function processReturnFile(
  { database, audit }: ReturnFileTools,
  file: { readonly name: string; readonly bytes: AsyncIterable<Uint8Array> },
  operator: Actor,
): Promise<ProcessedReturnFile> {
  const read = await readReturnFile(file.bytes, await knownBanks(database));
  const { head, entries, lineCount } = read;
  const unknown = await ofOurs(database, read, read.unknown);
  const refusals = await ofOurs(database, read, read.refusals);
  const changes = filedChanges(head.bank, entries);
  // A file that is sent again has the same day and number.
  const ofBank = { bank: head.bank, name: `${head.madeOn}/${head.sequence ?? ''}` };
  const answers = answersOf(read);
  const changed = answers.filter(({ to, isAccepted }) => to === 'dueDay' && isAccepted);
  const taken = await audit.transaction(async (tx) => {
    await takeTurnOfFile(tx, head.bank);
    await lockBoletosOfFile(tx, head.bank, changed);
    const learned = await learnDueDays(tx, head.bank, read.dueDays);
    const answered = await answerInstructions(tx, { ...ofBank, madeOn: head.madeOn }, answers);
    const counts = await keepFiledChanges(tx, ofBank, changes);
    await resumeChanges(tx, answered.made);
    const ofRefusals = shownRefusals({ ...read, refusals }, answered.taken);
    const ofAccepted = shownAccepted(read, answered);
    const ofOtherDays = read.dueDays.filter(({ ourNumber }) => learned.has(ourNumber));
    await recordExceptions(
      tx,
      exceptionsOf(read, [...unknown, ...ofRefusals, ...ofAccepted, ...ofOtherDays]),
    );
    const { ours, taken } = counts;
    const ofFile = { madeOn: head.madeOn, sequence: head.sequence ?? '', lines: lineCount };
    tx.record({
      ...operator,
      action: 'returnFile.import',
      outcome: 'success',
      resource: `banks/${head.bank}/files/${file.name}`,
      detail: {
        ...{ ...ofFile, ours, taken, unknown: unknown.length },
        unfit: namedNumbers(counts.unfit),
        known: namedNumbers(counts.known),
        again: namedNumbers(counts.again),
      },
    });
    return { ...counts, doubtful: doubtfulOf(answered.taken) };
  });
  return { ...read, unknown, ...taken };
}

async function knownBanks(database: Database): Promise<Known> {
  const providers = await listProviders(database);
  const isOf = (bank: string, { adapter, settings }: Provider) =>
    adapter === 'remessa' && settings.bank === bank;
  return {
    companiesOf(bank) {
      const ofBank = providers.filter((one) => isOf(bank, one));
      const companies = ofBank.flatMap(({ settings }) => settings.companyDocument ?? []);
      // Where one of them does not say whose it is, files of all are expected.
      return companies.length === ofBank.length ? companies : [];
    },
    async hasFormer(bank) {
      const others = providers.filter((one) => one.kind === 'bank' && !isOf(bank, one));
      return isToldBy(
        database,
        bank,
        others.map(({ name }) => name),
      );
    },
    findNumbered: (bank, entries) => findNumbered(database, bank, linesToFind(providers, bank, entries)),
  };
}

/** Where lines have the bank's number alone. By all providers: any may have told the bank by file before. */
function linesToFind(
  providers: readonly Provider[],
  code: string,
  entries: readonly ReturnEntry[],
): NumberedLine[] {
  if (!REMITTANCE_BANKS.some((one) => one.code === code && one.isNamedByBank === true)) return [];
  const banks = providers.filter(({ kind }) => kind === 'bank');
  return banks.flatMap(({ name }) =>
    entries.flatMap(({ lineNumber, number, bankNumber, documentNumber, value, dueOn }) =>
      number === null || bankNumber === null
        ? []
        : [
            {
              ...{ lineNumber, bank: name, bankNumber: number, numberInCode: bankNumber },
              ...{ documentNumber, value, dueOn },
            },
          ],
    ),
  );
}

function doubtfulOf(taken: readonly TakenAnswer[]): DoubtfulAnswer[] {
  const doubtful = taken.flatMap((one) => {
    const { lineNumber, ourNumber, isAccepted } = one.line;
    const takenFor = doubtOf(one);
    const dueOn = one.instruction.kind === 'dueDay' ? one.instruction.dueOn : null;
    return takenFor === null ? [] : [{ lineNumber, ourNumber, isAccepted, takenFor, dueOn }];
  });
  return doubtful.toSorted((one, other) => one.lineNumber - other.lineNumber);
}

function answersOf({ head, answers }: ReturnFile): BankAnswer[] {
  return answers.map(({ answer: { to, isAccepted }, content }) => ({
    ...{ lineNumber: content.lineNumber, ourNumber: content.ourNumber, content, to, isAccepted },
    dueOn: isAccepted && to === 'dueDay' ? content.dueOn : null,
    reason: isAccepted ? null : refusalText(head, content.reasons).slice(0, LONGEST_REASON),
  }));
}

/** A refusal that no instruction took is shown only if another line of its boleto names what it answers. */
function shownRefusals({ answers, refusals }: ReturnFile, taken: readonly TakenAnswer[]) {
  const refused = taken.filter(({ line }) => !line.isAccepted);
  const shown = new Set(refused.map(({ line }) => line.ourNumber));
  for (const { content, answer } of answers) if (EXACT.includes(answer.to)) shown.add(content.ourNumber);
  const byLine = new Map(refused.map((one) => [one.line.lineNumber, one]));
  return refusals
    .filter(({ ourNumber, answer }) => shown.has(ourNumber) || answer?.to === 'either')
    .map((entry) => {
      const one = byLine.get(entry.lineNumber);
      return { ...entry, doubt: one === undefined ? '' : doubtSign(one) };
    });
}

/** Acceptances that answer no instruction, or not certainly one. */
function shownAccepted(
  { answers }: ReturnFile,
  { taken, idle }: { readonly taken: readonly TakenAnswer[]; readonly idle: readonly BankAnswer[] },
) {
  const doubts = new Map([
    ...idle.map(({ lineNumber }) => [lineNumber, doubtSign(null)] as const),
    ...taken
      .filter(({ line, isUnnamed }) => line.isAccepted && isUnnamed)
      .map((one) => [one.line.lineNumber, doubtSign(one)] as const),
  ]);
  return answers.flatMap(({ content }) => {
    const doubt = doubts.get(content.lineNumber);
    return doubt === undefined ? [] : [{ ...content, doubt }];
  });
}

const EXACT: readonly BankAnswer['to'][] = ['writeOff', 'dueDay'];

async function ofOurs(
  database: Database,
  { head }: ReturnFile,
  entries: ReturnFile['unknown'],
): Promise<ReturnFile['unknown']> {
  const numbers = entries.map(({ ourNumber }) => ourNumber);
  const ours = await findOurNumbers(database, head.bank, numbers);
  return entries.filter(({ ourNumber }) => ours.has(ourNumber));
}

/** Keys come from the content, so that a movement repeated in a second file is the same exception. */
function exceptionsOf(
  { head }: ReturnFile,
  unknown: readonly (ReturnFile['unknown'][number] & { readonly doubt?: string })[],
): ExceptionRow[] {
  const equal = new Map<string, number>();
  return unknown.map(({ ourNumber, movement, paid, happenedOn, doubt = '' }) => {
    const day = happenedOn ?? head.madeOn;
    const code = movement || NO_CODE;
    const text = `return:${head.bank}:${ourNumber}:${code}:${day}:${paid}`;
    const number = (equal.get(text) ?? 0) + 1;
    equal.set(text, number);
    const found = `${code} ${head.bank}/${ourNumber}${doubt}`;
    return {
      merchantId: NO_MERCHANT,
      exceptionId: newId(),
      key: `${text}:${number}`,
      class: 'unknownCode',
      event: 'open',
      before: null,
      state: 'open',
      accountNumber: null,
      transactionId: null,
      installmentNumber: null,
      fileNumber: null,
      lineNumber: null,
      finding: { amount: 0 - paid, expected: null, found, day, explanation: null },
      message: null,
    };
  });
}

const MOST_NAMED = 20;

export function namedNumbers(numbers: readonly string[]): string {
  const more = numbers.length - MOST_NAMED;
  return numbers.slice(0, MOST_NAMED).join(' ') + (more > 0 ? ` and ${more} more` : '');
}

export type ChangeEntry = ReturnEntry & {
  readonly event: FiledBankChange['event'];
  readonly ourNumber: string;
};

/** Ids come from the content, so that a payment sent again in another file is the same change. */
function filedChanges(bank: string, entries: readonly ChangeEntry[]): FiledChangeOfBoleto[] {
  const equal = new Map<string, number>();
  return entries.flatMap(({ ourNumber, event, value, dueOn, paid, fee, happenedOn, creditedOn }) => {
    if (happenedOn === null) return [];
    const isPaid = event === 'paid';
    const text = `file:${bank}:${ourNumber}:${event}:${happenedOn}${isPaid ? `:${paid}` : ''}`;
    const number = (equal.get(text) ?? 0) + 1;
    equal.set(text, number);
    return {
      changeId: `${text}:${number}`,
      ourNumber,
      event,
      amount: isPaid ? cents(paid) : null,
      paidOn: isPaid ? happenedOn : null,
      creditedOn: isPaid ? creditedOn : null,
      fee: isPaid ? cents(fee) : null,
      value,
      dueOn,
      happenedAt: noon(startOfSaoPauloDay(happenedOn)),
    };
  });
}

const TWELVE_HOURS = 43_200_000;

function noon(start: Instant): Instant {
  return instant(start + TWELVE_HOURS);
}

/** More than a bank sends in a day. Little of each movement is kept in memory. */
const MOST_MOVEMENTS = 500_000;

export type ReturnFile = {
  readonly head: Ours<files.ReturnFileHead>;
  /** Of a company that no provider of the bank is of. */
  readonly isOfAnother: boolean;
  readonly entries: readonly (ReturnEntry & { readonly ourNumber: string; readonly event: string })[];
  readonly lineCount: number;
  /** Movements that would change a boleto but name none of ours. */
  readonly foreign: number;
  readonly others: Readonly<Record<string, number>>;
  /** Those of `others` that name a boleto of ours and are unknown, uncertain, or answers of another value. */
  readonly unknown: readonly (ReturnEntry & { readonly ourNumber: string })[];
  readonly answers: readonly Answered[];
  readonly refusals: readonly (ReturnEntry & { readonly ourNumber: string })[];
  /** Those of `answers` that name the boleto's present due day. */
  readonly dueDays: readonly (ReturnEntry & { readonly ourNumber: string; readonly dueOn: Day })[];
};

type Answered = {
  readonly answer: NonNullable<ReturnEntry['answer']>;
  readonly content: ReturnEntry & { readonly ourNumber: string };
};

type Known = {
  /** The companies of our providers of a bank; none: not known. */
  readonly companiesOf: (bank: string) => readonly string[];
  /** Whether a provider that is no more of the bank told it by file, for whichever company. */
  readonly hasFormer: (bank: string) => Promise<boolean>;
  /** Our numbers by the numbers of lines that name none. */
  readonly findNumbered: (
    bank: string,
    entries: readonly ReturnEntry[],
  ) => Promise<ReadonlyMap<number, NamedLine>>;
};

const NOTHING_KNOWN: Known = {
  companiesOf: () => [],
  hasFormer: async () => false,
  findNumbered: async () => new Map(),
};

/** Throws `ReturnFileRefused` at the first fault, before anything is done with the file. */
export async function readReturnFile(
  bytes: AsyncIterable<Uint8Array>,
  { companiesOf, hasFormer, findNumbered }: Known = NOTHING_KNOWN,
): Promise<ReturnFile> {
  const telling: ReturnEntry[] = [];
  const entries: ReturnFile['entries'][number][] = [];
  const others: Record<string, number> = {};
  const unknown: ReturnFile['unknown'][number][] = [];
  const answers: Answered[] = [];
  const refusals: ReturnFile['refusals'][number][] = [];
  const dueDays: ReturnFile['dueDays'][number][] = [];
  let head: ReturnFile['head'] | null = null;
  let [foreign, movements, lineCount] = [0, 0, 0];
  let isOfAnother = false;
  const events = readReturnEvents(bytes, companiesOf) as AsyncIterable<unknown> as AsyncIterable<
    Ours<files.ReturnEvent>
  >;
  for await (const event of events) {
    if (event.type === 'head') head = event.head;
    if (event.type === 'end') ({ lineCount, isOfAnother } = event);
    if (event.type !== 'entry') continue;
    movements += 1;
    if (movements > MOST_MOVEMENTS) throw new TooManyMovements();
    const { entry } = event;
    if (entry.event === null) others[entry.movement] = (others[entry.movement] ?? 0) + 1;
    if (entry.event !== null || entry.answer !== null || !entry.isKnown) telling.push(entry);
  }
  if (head === null) throw new Error('a file without a head has no end');
  if (isOfAnother) isOfAnother = !(await hasFormer(head.bank));
  const unnamed = telling.filter((one) => one.companyUse === null && ourNumberOf(one) === null);
  const told = isOfAnother ? null : await findNumbered(head.bank, unnamed);
  for (const entry of telling) {
    const named = told?.get(entry.lineNumber);
    const ourNumber = ourNumberOf(entry) ?? named?.ourNumber ?? null;
    const { dueOn } = entry;
    const answer = named?.isOfValue === false ? null : entry.answer;
    const content = ourNumber === null ? null : { ...entry, ourNumber };
    if (answer !== null && content !== null) answers.push({ answer, content });
    if (answer?.isAccepted === false && content !== null) refusals.push(content);
    if (answer?.to === 'dueDay' && answer.isAccepted && dueOn !== null && content !== null)
      dueDays.push({ ...content, dueOn });
    const isUnclear = !entry.isKnown || (entry.event === null && answer !== entry.answer);
    if (isUnclear && content !== null) unknown.push(content);
    if (entry.event === null) continue;
    if (ourNumber === null) foreign += 1;
    else entries.push({ ...entry, event: entry.event, ourNumber });
  }
  return { head, isOfAnother, entries, lineCount, foreign, others, unknown, answers, refusals, dueDays };
}

export class TooManyMovements extends Error {
  override readonly name = 'TooManyMovements';
}

/** The bank's number is ours if it has eleven digits, with zeros before them: a shorter one is cut. */
function ourNumberOf({ companyUse, number }: Pick<ReturnEntry, 'companyUse' | 'number'>): string | null {
  return /^\d{11}$/.exec(companyUse ?? '')?.[0] ?? /^0*(\d{11})$/.exec(number ?? '')?.[1] ?? null;
}
