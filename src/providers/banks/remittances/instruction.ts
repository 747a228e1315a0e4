import type { Day, Instant } from '../../../values/instant.ts';

export const INSTRUCTION_KINDS = ['register', 'writeOff', 'dueDay'] as const;
export type InstructionKind = (typeof INSTRUCTION_KINDS)[number];

export const INSTRUCTION_ANSWERS = ['accepted', 'refused', 'withdrawn'] as const;
export type InstructionAnswer = (typeof INSTRUCTION_ANSWERS)[number];

/** Characters of what a bank says of a refusal. */
export const LONGEST_REASON = 500;

/** One line of a return file. */
export type BankAnswer = {
  readonly lineNumber: number;
  readonly ourNumber: string;
  /** `later`: a write-off or a change; `either`: the registration too, where neither was ever asked. */
  readonly to: InstructionKind | 'later' | 'either';
  readonly isAccepted: boolean;
  /** What the file says of an accepted change; null: nothing. */
  readonly dueOn: Day | null;
  /** In Portuguese. */
  readonly reason: string | null;
  /** All that the line says. */
  readonly content: { readonly lineNumber: number };
};

/** A return file. */
export type AnsweringFile = { readonly name: string; readonly madeOn: Day };

export type InstructionKey = {
  readonly merchantId: string;
  readonly ourNumber: string;
  readonly kind: InstructionKind;
  readonly attempt: number;
};

export type AnsweredInstruction = InstructionKey & {
  /** What the bank was told. */
  readonly dueOn: Day | null;
  readonly payableUntil: Day | null;
  readonly answer: InstructionAnswer | null;
  readonly reason: string | null;
  /** When the file that it is in was made: its day, and in real time. */
  readonly filedOn: Day | null;
  readonly filedAt: Instant | null;
  /** The name of the return file that has answered it, and its day; null: none, or not known. */
  readonly answeredIn: string | null;
  readonly answeredOn: Day | null;
  /** In real time. */
  readonly answeredAt: Instant | null;
};

export type TakenAnswer = {
  readonly line: BankAnswer;
  readonly instruction: AnsweredInstruction;
  /** The file does not say which of several instructions it answers. */
  readonly isUnnamed: boolean;
  /** Another line that was taken says the same. */
  readonly isRepeated: boolean;
};

/** A refusal that was taken for the answer of a change that was made is of another instruction. */
export type PassedRefusal = {
  readonly refused: AnsweredInstruction;
  readonly instruction: AnsweredInstruction;
};

export type TakenAnswers = {
  readonly taken: readonly TakenAnswer[];
  readonly passed: readonly PassedRefusal[];
  /** Acceptances that say again what was taken, and answer nothing. */
  readonly idle: readonly BankAnswer[];
};

/**
 * Which instruction each line of a return file answers, of one boleto. Both in their order: banks read files
 * in turn. Each line answers one instruction at most, and each instruction has one answer: what names the day
 * goes first, then what names the instruction, then the rest. A file that is imported again answers nothing
 * more. A change whose day is named is accepted, also where a refusal was taken for its answer before: that
 * is then of what waited behind it.
 */
export function takeAnswers(
  instructions: readonly AnsweredInstruction[],
  lines: readonly BankAnswer[],
  file: AnsweringFile,
): TakenAnswers {
  const isRegistration = lines.some(({ to }) => to === 'register');
  const filed = instructions.filter((one) => isFiledBy(one, file.madeOn));
  const wasOpen = new Set(filed.filter(({ answer }) => answer === null));
  const open = new Set(wasOpen);
  const misread = new Set<AnsweredInstruction>();
  const taken: TakenAnswer[] = [];
  const idle: BankAnswer[] = [];
  for (const line of lines.toSorted((one, other) => rankOf(one) - rankOf(other))) {
    const fitting = instructions.filter((one) => fits(one, line, instructions, isRegistration));
    if (fitting.some(({ answeredIn }) => answeredIn === file.name)) continue;
    const waiting = fitting.find((one) => open.has(one));
    const refused = filed.findLast(
      (one) => line.dueOn !== null && one.answer === 'refused' && fitting.includes(one),
    );
    const instruction = waiting ?? refused;
    if (instruction === undefined) continue;
    const isRepeated = taken.some(
      (one) => one.line.isAccepted === line.isAccepted && isEqual(one.line, line),
    );
    const isMade =
      waiting === undefined && fitting.some((one) => one.answer === 'accepted' || isTaken(one, taken));
    if (line.isAccepted && (isRepeated || isMade)) {
      idle.push(line);
      continue;
    }
    if (waiting === undefined) misread.add(instruction);
    open.delete(instruction);
    const isUnnamed = line.dueOn === null && fitting.filter((one) => wasOpen.has(one)).length > 1;
    taken.push({ line, instruction, isUnnamed, isRepeated });
  }
  return { taken, idle, passed: passedRefusals([...misread], open) };
}

/** To what waited when the bank refused. */
function passedRefusals(
  misread: readonly AnsweredInstruction[],
  open: Set<AnsweredInstruction>,
): PassedRefusal[] {
  return misread.flatMap((refused) => {
    const { answeredOn, answeredAt } = refused;
    const wasAsked = (one: AnsweredInstruction) =>
      one.kind !== 'register' &&
      answeredOn !== null &&
      isFiledBy(one, answeredOn) &&
      (one.filedAt ?? 0) < (answeredAt ?? 0);
    const heir = [...open].find(wasAsked);
    if (heir === undefined) return [];
    open.delete(heir);
    return [{ refused, instruction: heir }];
  });
}

function isFiledBy({ filedOn }: AnsweredInstruction, day: Day): boolean {
  return filedOn !== null && filedOn <= day;
}

function isTaken(instruction: AnsweredInstruction, taken: readonly TakenAnswer[]): boolean {
  return taken.some((one) => one.instruction === instruction);
}

function isEqual({ content: one }: BankAnswer, { content: other }: BankAnswer): boolean {
  return JSON.stringify({ ...one, lineNumber: 0 }) === JSON.stringify({ ...other, lineNumber: 0 });
}

/** The change whose day the bank has, where a line has answered it: of all that were made the last. */
export function madeChange(
  instructions: readonly AnsweredInstruction[],
  { taken }: Pick<TakenAnswers, 'taken'>,
): AnsweredInstruction | null {
  const now = new Set(taken.filter(({ line }) => line.isAccepted).map(({ instruction }) => instruction));
  const [last] = instructions
    .filter((one) => one.kind === 'dueDay' && (one.answer === 'accepted' || now.has(one)))
    .toSorted((one, other) => other.attempt - one.attempt);
  return last !== undefined && now.has(last) ? last : null;
}

function isNameless({ to }: Pick<BankAnswer, 'to'>): boolean {
  return to === 'later' || to === 'either';
}

function rankOf({ to, dueOn }: BankAnswer): number {
  if (dueOn !== null) return 0;
  return isNameless({ to }) ? 2 : 1;
}

/** Where the same file answers the registration too, a line that names no instruction is of a later one. */
function fits(
  { kind, dueOn }: AnsweredInstruction,
  line: BankAnswer,
  all: readonly AnsweredInstruction[],
  isRegistration: boolean,
): boolean {
  if (!isNameless(line)) return kind === line.to && (line.dueOn === null || line.dueOn === dueOn);
  if (kind !== 'register') return true;
  return line.to === 'either' && !isRegistration && all.every((one) => one.kind === 'register');
}
