import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TakenAnswer } from '../../providers/banks/remittances/instruction.ts';
import type { Day } from '../../values/instant.ts';
import { doubtOf, doubtSign, readDoubt } from './doubt.ts';

type Line = { readonly to: TakenAnswer['line']['to']; readonly kind: TakenAnswer['instruction']['kind'] };

function taken({ to, kind }: Line, change: Partial<TakenAnswer> = {}): TakenAnswer {
  const content = { lineNumber: 1 };
  const line = { lineNumber: 1, ourNumber: '1', to, isAccepted: false, dueOn: null, reason: null, content };
  const instruction = {
    ...{ merchantId: 'm', ourNumber: '1', kind, attempt: 1, dueOn: '2026-12-20' as Day, payableUntil: null },
    ...{ answer: null, reason: null, filedOn: null, filedAt: null },
    ...{ answeredIn: null, answeredOn: null, answeredAt: null },
  };
  return { line, instruction, isUnnamed: true, isRepeated: false, ...change };
}

test('what is in doubt is said with its day: the instruction, or which of several changes of the day', () => {
  const lines = [
    [taken({ to: 'later', kind: 'writeOff' }, { isRepeated: true }), ' (baixa? repetida?)', 'writeOff'],
    [taken({ to: 'either', kind: 'dueDay' }), ' (vencto 20/12?)', 'dueDay'],
    [taken({ to: 'dueDay', kind: 'dueDay' }), ' (data 20/12?)', 'oneOfDueDays'],
    [taken({ to: 'either', kind: 'register' }), ' (entrada?)', 'register'],
  ] as const;
  for (const [one, sign, doubt] of lines) {
    assert.equal(doubtSign(one), sign);
    assert.deepEqual([doubtOf(one), readDoubt(`16 341/1${sign}`)], [doubt, doubt]);
  }
  const certain = taken({ to: 'dueDay', kind: 'dueDay' }, { isUnnamed: false });
  assert.deepEqual([doubtOf(certain), doubtSign(certain), readDoubt('16 341/1')], [null, '', undefined]);
  assert.equal(readDoubt(`14 341/1${doubtSign(null)}`), 'repeated');
});
