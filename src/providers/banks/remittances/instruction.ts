import type { Day } from '../../../values/instant.ts';

export const INSTRUCTION_KINDS = ['register', 'writeOff', 'dueDay'] as const;
export type InstructionKind = (typeof INSTRUCTION_KINDS)[number];

export const INSTRUCTION_ANSWERS = ['accepted', 'refused', 'withdrawn'] as const;
export type InstructionAnswer = (typeof INSTRUCTION_ANSWERS)[number];

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
  /** Of a refusal: what the line says, but for its number. */
  readonly text: string;
};

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
  /** It was in a file that is not younger than the return file. */
  readonly isFiled: boolean;
  /** An import of the same return file has answered it before. */
  readonly isOfFile: boolean;
};

export type TakenAnswer = {
  readonly line: BankAnswer;
  readonly instruction: AnsweredInstruction;
  /** The file does not say which of several instructions it answers. */
  readonly isUnnamed: boolean;
  /** Another line that was taken says the same. */
  readonly isRepeated: boolean;
};

/**
 * Which instruction each line of a return file answers, of one boleto. Both in their order: banks read files
 * in turn. Each line answers one instruction at most, and each instruction has one answer: what names the day
 * goes first, then what names the instruction, then the rest. A file that is imported again answers nothing
 * more. A change whose day is named is accepted, also where a refusal was taken for its answer before.
 */
export function takeAnswers(
  instructions: readonly AnsweredInstruction[],
  lines: readonly BankAnswer[],
): TakenAnswer[] {
  const isRegistration = lines.some(({ to }) => to === 'register');
  const open = new Set(instructions.filter(({ isFiled, answer }) => isFiled && answer === null));
  const refused = new Set(instructions.filter(({ answer }) => answer === 'refused'));
  const texts = new Set<string>();
  return lines
    .toSorted((one, other) => rankOf(one) - rankOf(other))
    .flatMap((line) => {
      const fitting = instructions.filter((one) => fits(one, line, instructions, isRegistration));
      if (fitting.some(({ isOfFile }) => isOfFile)) return [];
      const misread = line.dueOn === null ? undefined : fitting.findLast((one) => refused.has(one));
      const instruction = fitting.find((one) => open.has(one)) ?? misread;
      if (instruction === undefined) return [];
      open.delete(instruction);
      refused.delete(instruction);
      const isUnnamed = isNameless(line) && fitting.filter(wasOpen).length > 1;
      const isRepeated = texts.has(line.text);
      if (!line.isAccepted) texts.add(line.text);
      return { line, instruction, isUnnamed, isRepeated: !line.isAccepted && isRepeated };
    });
}

/** The change whose day the bank has, where a line has answered it: of all that were made the last. */
export function madeChange(
  instructions: readonly AnsweredInstruction[],
  taken: readonly TakenAnswer[],
): AnsweredInstruction | null {
  const now = new Set(taken.filter(({ line }) => line.isAccepted).map(({ instruction }) => instruction));
  const [last] = instructions
    .filter((one) => one.kind === 'dueDay' && (one.answer === 'accepted' || now.has(one)))
    .toSorted((one, other) => other.attempt - one.attempt);
  return last !== undefined && now.has(last) ? last : null;
}

function wasOpen({ isFiled, answer }: AnsweredInstruction): boolean {
  return isFiled && answer === null;
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
