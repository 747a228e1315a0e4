import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Day } from '../../../values/instant.ts';
import { type AnsweredInstruction, type BankAnswer, madeChange, takeAnswers } from './instruction.ts';

const [SOON, LATE] = ['2026-12-10', '2026-12-20'] as Day[] as [Day, Day];

type Line = Partial<BankAnswer> & Pick<BankAnswer, 'to'>;

const told = (kind: AnsweredInstruction['kind'], change: Partial<AnsweredInstruction> = {}) => ({
  ...{
    merchantId: 'm',
    ourNumber: '1',
    kind,
    attempt: 1,
    dueOn: kind === 'dueDay' ? SOON : null,
    payableUntil: null,
  },
  ...{ answer: null, isFiled: true, isOfFile: false, ...change },
});
const REGISTERED = told('register', { answer: 'accepted' });

function takenOf(instructions: readonly AnsweredInstruction[], lines: readonly Line[]) {
  const whole = lines.map((line, index) => ({
    ...{ lineNumber: index, ourNumber: '1', isAccepted: false, dueOn: null, reason: null, text: `${index}` },
    ...line,
  }));
  return takeAnswers(instructions, whole);
}

/** What each instruction gets, in their order; a dash: nothing. */
function answered(instructions: readonly AnsweredInstruction[], ...lines: readonly Line[]) {
  const taken = takenOf(instructions, lines);
  return instructions
    .map((instruction) => {
      const one = taken.find((some) => some.instruction === instruction);
      if (one === undefined) return '-';
      return `${one.line.lineNumber}${one.isUnnamed ? '?' : ''}${one.isRepeated ? '=' : ''}`;
    })
    .join(' ');
}

const changed = (dueOn: Day | null = null) => ({ to: 'dueDay', isAccepted: true, dueOn }) as const;

test('each line answers one instruction: by its day, else by its name, else the oldest that waits', () => {
  const both = [REGISTERED, told('dueDay'), told('writeOff')];
  assert.equal(answered(both, { to: 'later' }), '- 0? -');
  assert.equal(answered(both, { to: 'later' }, { to: 'later' }), '- 0? 1?');
  assert.equal(answered(both, { to: 'later' }, { to: 'writeOff' }), '- 0? 1');
  assert.equal(answered(both, { to: 'either' }, changed(SOON)), '- 1 0?');
  assert.equal(answered(both, { to: 'later' }, changed(LATE)), '- 0? -', 'nobody asked for that day');
  const two = [told('dueDay'), told('dueDay', { attempt: 2, dueOn: LATE })];
  for (const to of ['later', 'dueDay'] as const) {
    assert.equal(answered(two, { to }, changed(SOON)).replace('?', ''), '1 0');
    assert.equal(answered(two, changed(LATE), { to }).replace('?', ''), '1 0');
  }
  assert.equal(answered([told('dueDay')], { to: 'later' }, changed(SOON)), '1');
});

test('equal lines are as many answers, and of the second one it is said', () => {
  const line = { to: 'later', text: 'equal' } as const;
  assert.equal(answered([told('dueDay'), told('writeOff')], line, line), '0? 1?=');
  assert.equal(answered([told('writeOff')], line, line), '0');
});

test('a line that may be of any is of the registration only where nothing else was ever asked', () => {
  const register = told('register');
  assert.equal(answered([register], { to: 'either' }), '0');
  assert.equal(answered([register], { to: 'later' }), '-');
  assert.equal(answered([register], { to: 'either' }, { to: 'register', isAccepted: true }), '1');
  assert.equal(answered([register, told('writeOff', { answer: 'refused' })], { to: 'either' }), '- -');
});

test('what is in a younger file, in none, or answered is not answered', () => {
  const unread = [
    told('dueDay', { isFiled: false }),
    told('writeOff', { answer: 'refused' }),
    told('writeOff', { answer: 'withdrawn', isFiled: false, attempt: 2 }),
  ];
  assert.equal(answered(unread, { to: 'later' }, { to: 'writeOff' }, { to: 'dueDay' }), '- - -');
});

test('a file that is imported again answers nothing that was asked since', () => {
  const again = [told('dueDay', { answer: 'refused', isOfFile: true }), told('writeOff')];
  assert.equal(answered(again, { to: 'later' }, { to: 'later' }), '- -');
  assert.equal(answered(again, changed(SOON)), '- -');
  assert.equal(answered(again, { to: 'writeOff', isAccepted: true }), '- 0');
});

test('a change whose day is named was made, also where a refusal was taken for its answer', () => {
  const refused = told('dueDay', { answer: 'refused' });
  assert.equal(answered([refused, told('writeOff')], changed(SOON)), '0 -');
  assert.equal(answered([refused, told('writeOff')], changed()), '- -');
  const again = told('dueDay', { attempt: 2 });
  assert.equal(answered([refused, again], changed(SOON)), '- 0', 'what waits goes first');
  assert.equal(answered([told('dueDay', { answer: 'accepted' })], changed(SOON)), '-');
});

test('of several changes that were made the bank has the day of the last, whichever it answers last', () => {
  const madeOf = (answer: AnsweredInstruction['answer'], ...lines: readonly Line[]) => {
    const both = [
      told('dueDay', { answer: answer === 'accepted' ? null : 'refused' }),
      told('dueDay', { attempt: 2, dueOn: LATE, answer }),
    ];
    return madeChange(both, takenOf(both, lines))?.dueOn ?? null;
  };
  assert.equal(madeOf('refused', changed(SOON)), SOON);
  assert.equal(madeOf('accepted', changed(SOON)), null);
  assert.equal(madeOf(null, changed(LATE), changed(SOON)), LATE);
  assert.equal(madeOf(null, { to: 'dueDay' }), null);
});
