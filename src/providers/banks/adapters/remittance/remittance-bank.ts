import { agreementFault, remittanceBankNamed, writeRemittance } from '#settlement-files';
import type { Database } from '../../../../platform/postgres/database.ts';
import { composeBarCode, freeFieldOf } from '../../../../values/bar-code.ts';
import { daysBetween } from '../../../../values/business-day.ts';
import type { ProviderSettings } from '../../../provider.ts';
import {
  type Bank,
  type BankUnknown,
  type BoletoCancelAnswer,
  type BoletoRequest,
  cursorOf,
  type DueDayAnswer,
  type DueDayRequest,
  type FoundBoleto,
  type IssueAnswer,
} from '../../bank.ts';
import {
  changeDueDayByFile,
  findInstructions,
  type Instruction,
  registerByFile,
  withdrawRegistration,
  writeOffByFile,
} from '../../remittances/instructions.sql.ts';
import { bankNumberOf, fileDay, type RemittanceAgreement, remittanceOrder } from './remittance-order.ts';

/** A sentence if the settings name no bank, or not all that it needs. */
export function readAgreement({
  bank: code = '',
  layout,
  ...agreement
}: ProviderSettings): RemittanceAgreement | string {
  const bank = remittanceBankNamed(code, layout);
  if (typeof bank === 'string') return bank;
  return agreementFault(bank, agreement) ?? { bank, agreement };
}

const UNCLEAR: BankUnknown = {
  kind: 'unknown',
  cause: 'notAsked',
  reason: 'the instruction could not be kept for the file of the bank',
};

type Registered = Pick<Instruction, 'bankNumber' | 'barCode'>;

/**
 * Registers by file: what the bank is to be told is kept here and taken into the next file (decision 0188). A
 * boleto is issued once its registration is kept; its bar code is ours to compute.
 */
export function remittanceBank(
  name: string,
  { bank, agreement }: RemittanceAgreement,
  database: Database,
): Bank {
  const registered = (
    { amount, dueOn }: Pick<BoletoRequest, 'amount' | 'dueOn'>,
    { bankNumber, barCode: printed }: Registered,
  ) => {
    // What is printed keeps its agreement, whatever the settings are now.
    const freeField = printed === null ? bank.freeField(bankNumber, agreement) : freeFieldOf(printed);
    const barCode = composeBarCode({ bankCode: bank.code, dueOn, amount, freeField });
    return { barCode, pixEmv: null };
  };

  const tells = (kind: Instruction['kind']) => bank.told?.includes(kind) ?? true;

  async function issue(request: BoletoRequest): Promise<IssueAnswer> {
    const bankNumber = bankNumberOf({ bank, agreement }, request);
    if (!fits({ bank, agreement }, request, bankNumber)) return { kind: 'refused', reason: 'termsRefused' };
    await registerByFile(database, request, { bank: name, bankCode: bank.code, bankNumber });
    const kept = kindOf(await findInstructions(database, request, name), 'register');
    if (kept === undefined) return { kind: 'refused', reason: 'termsRefused' };
    return { kind: 'issued', ...registered(request, kept) };
  }

  async function cancel(merchantId: string, ourNumber: string): Promise<BoletoCancelAnswer> {
    const key = { merchantId, ourNumber };
    const isTold = tells('writeOff');
    if (isTold) await writeOffByFile(database, key, name);
    else await withdrawRegistration(database, key, name);
    const end = endOf(await findInstructions(database, key, name));
    if (end !== null) return end;
    if (!isTold) return { kind: 'refused', reason: 'notAllowed' };
    return {
      kind: 'unknown',
      cause: 'notAsked',
      reason: 'no return file of the bank has answered the write-off yet',
    };
  }

  async function changeDueDay(request: DueDayRequest): Promise<DueDayAnswer> {
    const isTold = tells('dueDay');
    const days = daysBetween(request.wanted.dueOn, request.wanted.payableUntil);
    const isTaken = days <= (bank.mostDaysAfterDue ?? days);
    if (isTaken) await changeDueDayByFile(database, request, { bank: name, isTold });
    const answer = dueDayOf(await findInstructions(database, request, name), request, isTaken && isTold);
    if (answer.kind !== 'changed') return answer;
    const wanted = { amount: request.amount, dueOn: request.wanted.dueOn };
    return { kind: 'changed', ...registered(wanted, answer.register) };
  }

  async function find(request: Parameters<Bank['find']>[0]): Promise<FoundBoleto> {
    const kept = await findInstructions(database, request, name);
    const register = kindOf(kept, 'register');
    if (register === undefined) return { kind: 'notFound' };
    if (endOf(kept)?.kind === 'canceled') return { kind: 'canceled' };
    const { dueOn, awaitedDueOn } = daysOf(kept, request);
    return { kind: 'issued', dueOn, awaitedDueOn, ...registered({ ...request, dueOn }, register) };
  }

  return {
    name: 'remessa',
    bankCode: bank.code,
    learnCode: async () => bank.code,
    issue: (request) => issue(request).catch(() => UNCLEAR),
    cancel: (merchantId, ourNumber) => cancel(merchantId, ourNumber).catch(() => UNCLEAR),
    changeDueDay: (request) => changeDueDay(request).catch(() => UNCLEAR),
    find: (request) => find(request).catch(() => UNCLEAR),
    // Payments come by return file.
    changesSince: async () => ({
      kind: 'changes',
      ...{ changes: [], unreadable: [], hasNews: false, hasMore: false },
      cursor: cursorOf(bank.code, 'file'),
    }),
    close: async () => {},
  };
}

/** What cannot be written must not keep others from being. */
function fits({ bank, agreement }: RemittanceAgreement, request: BoletoRequest, bankNumber: string): boolean {
  const order = remittanceOrder(request, { kind: 'register', bankNumber });
  try {
    writeRemittance(bank, { agreement, number: 1, madeOn: fileDay(request.issuedOn), orders: [order] });
    return true;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

function kindOf(kept: readonly Instruction[], kind: Instruction['kind']): Instruction | undefined {
  return kept.find((one) => one.kind === kind);
}

/** The day that the bank has, and that of the last change behind it that it has not answered. */
function daysOf(kept: readonly Instruction[], before: Pick<BoletoRequest, 'dueOn'>) {
  const [last] = kept.filter(
    ({ kind, answer }) => kind === 'dueDay' && (answer ?? 'accepted') === 'accepted',
  );
  const accepted = kept.find(({ kind, answer }) => kind === 'dueDay' && answer === 'accepted');
  const dueOn = (accepted ?? kindOf(kept, 'register'))?.dueOn ?? before.dueOn;
  return { dueOn, awaitedDueOn: last?.answer === null && last.dueOn !== dueOn ? last.dueOn : null };
}

/** Null while the bank has it, or may have it. */
function endOf(kept: readonly Instruction[]): Exclude<BoletoCancelAnswer, BankUnknown> | null {
  const register = kindOf(kept, 'register');
  if (register === undefined) return { kind: 'refused', reason: 'unknownBoleto' };
  if (register.answer === 'withdrawn' || register.answer === 'refused') return { kind: 'canceled' };
  const writeOff = kindOf(kept, 'writeOff')?.answer;
  if (writeOff === 'accepted') return { kind: 'canceled' };
  return writeOff === 'refused' ? { kind: 'refused', reason: 'notAllowed' } : null;
}

/**
 * A day that the bank has was made, whatever became of other changes to it. `isTaken`: the bank may be told
 * of the day that is wanted.
 */
function dueDayOf(
  kept: readonly Instruction[],
  { number, before, wanted }: DueDayRequest,
  isTaken: boolean,
): Exclude<DueDayAnswer, { kind: 'changed' }> | { readonly kind: 'changed'; readonly register: Registered } {
  const register = kindOf(kept, 'register');
  if (register === undefined) return { kind: 'refused', reason: 'unknownBoleto' };
  const { answer } = register;
  if (answer === 'withdrawn' || answer === 'refused') return { kind: 'refused', reason: 'notAllowed' };
  if (daysOf(kept, before).dueOn === wanted.dueOn) return { kind: 'changed', register };
  const answers = kept
    .filter((one) => one.kind === 'dueDay' && one.attempt <= number && one.dueOn === wanted.dueOn)
    .map((one) => one.answer);
  const isRefused = answers.includes('refused') || !isTaken;
  if (isRefused && !answers.includes(null)) return { kind: 'refused', reason: 'notAllowed' };
  const reason = 'no return file of the bank has answered the change yet';
  return { kind: 'unknown', cause: 'notAsked', reason };
}
