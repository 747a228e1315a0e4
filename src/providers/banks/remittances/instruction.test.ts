import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Day, instant } from '../../../values/instant.ts';
import { type AnsweredInstruction, type BankAnswer, madeChange, takeAnswers } from './instruction.ts';

const [SOON, LATE] = ['2026-12-10', '2026-12-20'] as Day[] as [Day, Day];

const FILE = { name: 'file', madeOn: '2026-12-01' as Day };
/** By an earlier file, when both were in ours. */
const REFUSED = { answer: 'refused', reason: 'why', answeredIn: 'before', answeredOn: FILE.madeOn } as const;

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
  ...{ answer: null, reason: null, filedOn: FILE.madeOn, filedAt: instant(1) },
  ...{ answeredIn: null, answeredOn: null, answeredAt: null, ...change },
});
const REGISTERED = told('register', { answer: 'accepted' });

function takenOf(instructions: readonly AnsweredInstruction[], lines: readonly Line[]) {
  const whole = lines.map((line, index) => ({
    ...{ lineNumber: index, ourNumber: '1', isAccepted: false, dueOn: null, reason: null },
    ...{ content: { lineNumber: index, says: index }, ...line },
  }));
  return takeAnswers(instructions, whole, FILE);
}

/** What each instruction gets, in their order; `-`: nothing; `>`: a refusal of before. Then idle lines. */
function answered(instructions: readonly AnsweredInstruction[], ...lines: readonly Line[]) {
  const { taken, passed, idle } = takenOf(instructions, lines);
  const given = instructions
    .map((instruction) => {
      if (passed.some((some) => some.instruction === instruction)) return '>';
      const one = taken.find((some) => some.instruction === instruction);
      if (one === undefined) return '-';
      return `${one.line.lineNumber}${one.isUnnamed ? '?' : ''}${one.isRepeated ? '=' : ''}`;
    })
    .join(' ');
  return given + idle.map(({ lineNumber }) => ` (${lineNumber})`).join('');
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
  const line = { to: 'later', content: { lineNumber: 0, says: 'equal' } } as const;
  assert.equal(answered([told('dueDay'), told('writeOff')], line, line), '0? 1?=');
  assert.equal(answered([told('writeOff')], line, line), '0');
});

test('an acceptance that says what one said before answers nothing, and is shown', () => {
  const line = { ...changed(), content: { lineNumber: 0 } };
  const two = [told('dueDay'), told('dueDay', { attempt: 2, dueOn: LATE })];
  assert.equal(answered(two, line, { ...line, content: { lineNumber: 1 } }), '0? - (1)');
  assert.equal(answered(two, line, changed()), '0? 1?');
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
    told('dueDay', { filedOn: null }),
    told('writeOff', { answer: 'refused' }),
    told('writeOff', { answer: 'withdrawn', filedOn: null, attempt: 2 }),
  ];
  assert.equal(answered(unread, { to: 'later' }, { to: 'writeOff' }, { to: 'dueDay' }), '- - -');
});

test('a file that is imported again answers nothing that was asked since', () => {
  const again = [told('dueDay', { answer: 'refused', answeredIn: FILE.name }), told('writeOff')];
  assert.equal(answered(again, { to: 'later' }, { to: 'later' }), '- -');
  assert.equal(answered(again, changed(SOON)), '- -');
  assert.equal(answered(again, { to: 'writeOff', isAccepted: true }), '- 0');
});

test('a change whose day is named was made, also where a refusal was taken for its answer', () => {
  const refused = told('dueDay', { ...REFUSED, answeredAt: instant(2) });
  const early = told('dueDay', { ...REFUSED, answeredAt: instant(1) });
  const all = [told('register'), refused, told('writeOff')];
  assert.equal(answered(all, changed(SOON)), '- 0 >', 'the refusal was of the last');
  assert.equal(answered([early, told('writeOff')], changed(SOON)), '0 -', 'that was in no file then');
  assert.equal(answered([refused, told('writeOff')], changed(SOON), { to: 'writeOff' }), '0 1');
  assert.equal(answered([{ ...refused, filedOn: LATE }], changed(SOON)), '-', 'younger than the file');
  assert.equal(answered([refused, told('writeOff')], changed()), '- -');
  const again = told('dueDay', { attempt: 2 });
  assert.equal(answered([refused, again], changed(SOON)), '- 0', 'what waits goes first');
  const accepted = told('dueDay', { answer: 'accepted' });
  assert.equal(answered([accepted], changed(SOON)), '-');
  const later = told('dueDay', { ...REFUSED, attempt: 3 });
  assert.equal(answered([accepted, later], changed(SOON)), '- - (0)', 'said again of the first');
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
