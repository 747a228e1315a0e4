import type { InstructionKind, TakenAnswer } from '../../providers/banks/remittances/instruction.ts';

/**
 * What a line of a return file is taken for when it does not name the one of several instructions that it
 * answers.
 */
export type Doubt = InstructionKind | 'oneOfDueDays';

/** `sign`: appended to what the exception shows as found. */
const DOUBTS = {
  register: {
    sign: 'entrada',
    en: 'the bank does not say which instruction it answers: taken for the registration',
    pt: 'o banco não informou a qual instrução a ocorrência se refere; considerado o registro',
  },
  writeOff: {
    sign: 'baixa',
    en: 'the bank does not say which instruction it answers: taken for the write-off',
    pt: 'o banco não informou a qual instrução a ocorrência se refere; considerada a baixa',
  },
  dueDay: {
    sign: 'vencto',
    en: 'the bank does not say which instruction it answers: taken for the change of the due day',
    pt: 'o banco não informou a qual instrução a ocorrência se refere; considerada a alteração de vencimento',
  },
  oneOfDueDays: {
    sign: 'data',
    en: 'the bank does not say which change of the due day it answers: taken for the oldest',
    pt: 'o banco não informou a qual alteração de vencimento a ocorrência se refere; considerada a mais antiga',
  },
} as const satisfies Record<Doubt, Readonly<Record<'sign' | 'en' | 'pt', string>>>;

const REPEATED = 'repetida?';
const SIGNED = new RegExp(
  `\\((?:(${Object.values(DOUBTS)
    .map(({ sign }) => sign)
    .join('|')})[^)]*\\?|${REPEATED})`,
);

export function doubtOf({ line: { to }, instruction: { kind }, isUnnamed }: TakenAnswer): Doubt | null {
  if (!isUnnamed) return null;
  return to === 'dueDay' ? 'oneOfDueDays' : kind;
}

/** null: the line answers nothing, because it may be a repetition. */
export function doubtSign(taken: TakenAnswer | null): string {
  const doubt = taken === null ? null : doubtOf(taken);
  const isOfDay = doubt === 'dueDay' || doubt === 'oneOfDueDays';
  const dueOn = isOfDay ? (taken?.instruction.dueOn ?? null) : null;
  const days = dueOn === null ? '' : ` ${dueOn.slice(8)}/${dueOn.slice(5, 7)}`;
  const signs = [
    ...(doubt === null ? [] : [`${DOUBTS[doubt].sign}${days}?`]),
    ...(taken === null || taken.isRepeated ? [REPEATED] : []),
  ];
  return signs.length === 0 ? '' : ` (${signs.join(' ')})`;
}

export function doubtSentence(doubt: Doubt): Readonly<Record<'en' | 'pt', string>> {
  return DOUBTS[doubt];
}

/** Reads the sign in `found`; undefined: nothing is doubtful. */
export function readDoubt(found: string): Doubt | 'repeated' | undefined {
  const signed = SIGNED.exec(found);
  if (signed === null) return undefined;
  const known = Object.entries(DOUBTS).find(([, { sign }]) => sign === signed[1]);
  return known === undefined ? 'repeated' : (known[0] as Doubt);
}
