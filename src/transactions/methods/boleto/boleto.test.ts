import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { DueDayRefusal } from '../../../providers/banks/bank.ts';
import { businessDayFrom } from '../../../values/business-day.ts';
import { cents } from '../../../values/cents.ts';
import {
  addDays,
  type Day,
  type Instant,
  instant,
  saoPauloDay,
  startOfSaoPauloDay,
} from '../../../values/instant.ts';
import { amountDue, payableUntil, termsFaults } from '../../bill-terms.ts';
import {
  resultOfDueDay,
  resultOfKeptSearch,
  resultOfLastSearch,
  resultOfSearch,
  resultOfWaiting,
} from './bank-question.ts';
import { statesOfStatus, statusBill } from './bill-status.ts';
import {
  actsAt,
  BOLETO_EVENTS,
  BOLETO_MOVES,
  BOLETO_STATES,
  type Boleto,
  type BoletoState,
  isOverAnyway,
  shownState,
} from './boleto.ts';
import { type BoletoChange, calendarChange, keepChange, moveOf } from './boleto-move.ts';

const LATER = { dueOn: '2027-01-20' as Day, payableUntil: '2027-02-19' as Day };
const BAR_CODE = '0'.repeat(44);

function boletoIn(state: BoletoState, change: Partial<Boleto> = {}): Boleto {
  const { dueOn = '2026-12-10' as Day } = change;
  const last = change.payableUntil ?? payableUntil({ dueOn, daysToExpire: 30 });
  return {
    merchantId: 'm',
    boletoId: 'b',
    accountNumber: '1',
    ourNumber: '00000000001',
    pageKey: 'k',
    state,
    stateBefore: state === 'canceling' || state === 'changing' ? 'overdue' : null,
    wanted: state === 'changing' ? LATER : null,
    dueDayChanges: 0,
    linkId: null,
    isDayOpen: false,
    isExpiring: false,
    amount: cents(10_000),
    issuedOn: '2026-11-23' as Day,
    dueOn,
    payableUntil: last,
    daysToExpire: 30,
    payer: null,
    referenceTransaction: null,
    instructions: [],
    finePortion: null,
    interestPortion: null,
    discount: null,
    callbackUrl: null,
    registered: state === 'issuing' ? null : { barCode: BAR_CODE, pixEmv: null },
    bank: 'default',
    askedBank: null,
    refusalReason: null,
    payment: null,
    payments: [],
    actsAt: state === 'issued' || state === 'overdue' ? actsAt(state, { dueOn, payableUntil: last }) : null,
    requestedAt: instant(0),
    fence: 0,
    unknownReason: null,
    tries: 0,
    ...change,
  };
}

const EVENTS: readonly BoletoChange[] = BOLETO_EVENTS.map((event) => {
  if (event === 'issue') return { event, registered: { barCode: BAR_CODE, pixEmv: null } };
  if (event === 'refuse') return { event, reason: 'termsRefused' };
  if (event === 'pay') return { event, payment: { amount: cents(1), paidOn: '2026-12-10' as Day } };
  if (event === 'startChange') return { event, wanted: LATER };
  if (event === 'resumeChange')
    return { event, registered: { barCode: BAR_CODE, pixEmv: null }, days: LATER, wanted: LATER };
  if (event === 'change') return { event, registered: { barCode: BAR_CODE, pixEmv: null }, days: LATER };
  return { event };
});
const NOW = startOfSaoPauloDay('2026-12-01' as Day);

test('every move is in the table, and what is written fits the state', () => {
  for (const state of BOLETO_STATES)
    for (const change of EVENTS) {
      const boleto = boletoIn(state);
      const move = moveOf(boleto, change, NOW);
      assert.equal(move?.to ?? null, BOLETO_MOVES[state][change.event], `${state}.${change.event}`);
      if (move === null) continue;
      assert.equal(move.from, state);
      assert.equal(move.actsAt !== null, move.to === 'issued' || move.to === 'overdue');
      assert.equal(move.isAsked, isAsked(move.to));
      assert.equal(move.stateBefore !== null, isAsked(move.to));
      assert.deepEqual(move.wanted, move.to === 'changing' ? LATER : null);
      const isOtherDay = change.event === 'change' || change.event === 'resumeChange';
      assert.equal(move.days.dueOn, isOtherDay ? LATER.dueOn : boleto.dueOn);
      assert.equal(move.payment !== null, move.to === 'paid');
      assert.equal(move.refusalReason !== null, move.to === 'refused');
      assert.equal(move.registered !== null, move.to !== 'refused');
      const after = shownState({ state: move.to, stateBefore: move.stateBefore });
      const news = isOtherDay ? 'dueDayChanged' : after;
      assert.deepEqual(move.news?.after ?? null, news === shownState(boleto) ? null : news);
    }
});

test('whatever happens in whatever order, merchants see one issue, at most one end, and nothing after it', () => {
  const ends = ['paid', 'canceled', 'expired'];
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...EVENTS), { maxLength: 40 }), (changes) => {
      let boleto = boletoIn('issuing');
      const seen: string[] = [];
      for (const drawn of changes) {
        // What is not canceled is again what it was.
        const isKept = drawn.event === 'keepIssued' || drawn.event === 'keepOverdue';
        const move = moveOf(boleto, isKept ? keepChange(boleto) : drawn, NOW);
        if (move === null) continue;
        if (move.news !== null) {
          // A change makes an overdue boleto issued.
          if (move.news.after === 'dueDayChanged') seen.length = 1;
          else {
            assert.equal(move.news.before, seen.at(-1) ?? null);
            seen.push(move.news.after);
          }
        }
        boleto = { ...boleto, ...move, state: move.to };
      }
      assert.ok(seen.length === 0 || seen[0] === 'issued');
      assert.equal(seen.filter((state) => state === 'issued').length, Math.min(1, seen.length));
      const end = seen.findIndex((state) => ends.includes(state));
      assert.ok(end === -1 || end === seen.length - 1);
    }),
  );
});

test('the calendar makes it overdue after its last day in time, and ends it after its last day', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 3_000 }),
      fc.integer({ min: 0, max: 60 }),
      (offset, daysToExpire) => {
        const dueOn = addDays('2026-01-01' as Day, offset);
        const terms = { dueOn, payableUntil: payableUntil({ dueOn, daysToExpire }) };
        const lapseOn = addDays(businessDayFrom(dueOn), 1);
        // Payments of the last day are reported on the next business day.
        const reportedOn = businessDayFrom(addDays(payableUntil({ dueOn, daysToExpire }), 1));
        const endOn = addDays(reportedOn, 1);
        const before = (day: Day) => instant(startOfSaoPauloDay(day) - 1);
        const eventAt = (state: BoletoState, at: Instant, canEnd = true) =>
          calendarChange(boletoIn(state, terms), at, canEnd)?.event ?? null;
        assert.equal(eventAt('issued', before(lapseOn)), null);
        assert.equal(eventAt('issued', startOfSaoPauloDay(lapseOn)), 'lapse');
        // Written by a version that knew fewer days without banks, and put off.
        const early = { ...terms, actsAt: startOfSaoPauloDay(dueOn) };
        assert.equal(calendarChange(boletoIn('issued', early), before(lapseOn), true), null);
        const late = { ...terms, actsAt: startOfSaoPauloDay(addDays(lapseOn, 1)) };
        assert.equal(calendarChange(boletoIn('issued', late), startOfSaoPauloDay(lapseOn), true), null);
        assert.equal(eventAt('overdue', before(endOn)), null);
        assert.equal(eventAt('overdue', startOfSaoPauloDay(endOn)), 'startExpiry');
        assert.equal(eventAt('issued', startOfSaoPauloDay(lapseOn), false), 'lapse');
        assert.equal(eventAt('overdue', startOfSaoPauloDay(endOn), false), null);
        assert.ok(endOn >= lapseOn);
      },
    ),
  );
});

test('a change that is refused because the boleto is paid tells nobody that the day stays', () => {
  const boleto = boletoIn('changing');
  const newsOf = (reason: DueDayRefusal) => {
    const result = resultOfDueDay({ ...boleto, wanted: LATER }, { kind: 'refused', reason });
    assert.ok(result.kind === 'changed');
    return moveOf(boleto, result.change, NOW)?.news?.after ?? null;
  };
  assert.deepEqual([newsOf('notAllowed'), newsOf('paid')], ['dueDayKept', null]);
});

test('the day with which the bank has a boleto is taken over where its record is read', () => {
  const found = { dueOn: LATER.dueOn, barCode: BAR_CODE, pixEmv: null };
  for (const kind of ['issued', 'paid'] as const)
    for (const state of ['issuing', 'canceling'] as const) {
      const boleto = boletoIn(state);
      const result = (state === 'issuing' ? resultOfSearch : resultOfLastSearch)(boleto, { kind, ...found });
      assert.ok(result?.kind === 'changed');
      const move = moveOf(boleto, result.change, NOW);
      assert.deepEqual(
        [move?.to, move?.days.dueOn, move?.days.payableUntil],
        ['issued', LATER.dueOn, LATER.payableUntil],
      );
    }
});

test('where a bank refuses the cancel that did not wait for a change, the day that stands is told', () => {
  const boleto = boletoIn('canceling', { isDayOpen: true });
  const newsOf = (kind: 'issued' | 'paid', dueOn: Day) => {
    const result = resultOfKeptSearch(boleto, { kind, dueOn, barCode: BAR_CODE, pixEmv: null });
    assert.ok(result.kind === 'changed');
    const move = moveOf(boleto, result.change, NOW);
    return [move?.days.dueOn, move?.news?.after ?? null, result.warning];
  };
  assert.deepEqual(newsOf('issued', LATER.dueOn), [LATER.dueOn, 'dueDayChanged', 'keptByBank']);
  assert.deepEqual(newsOf('issued', boleto.dueOn), [boleto.dueOn, 'dueDayKept', 'keptByBank']);
  assert.deepEqual(newsOf('paid', boleto.dueOn), [boleto.dueOn, null, 'paidAtBank']);
  const ofFile = { dueOn: boleto.dueOn, awaitedDueOn: LATER.dueOn, barCode: BAR_CODE, pixEmv: null };
  const result = resultOfKeptSearch(boleto, { kind: 'issued', ...ofFile });
  assert.ok(result.kind === 'changed');
  const move = moveOf(boleto, result.change, NOW);
  assert.deepEqual(
    [move?.to, move?.stateBefore, move?.wanted, move?.news],
    ['changing', 'overdue', LATER, null],
  );
});

test('where a bank refuses a change, the day of another one that it has made is taken, and what it owes is waited for', () => {
  const boleto = boletoIn('changing', { isDayOpen: true, wanted: LATER });
  const moveFor = (dueOn: Day, awaitedDueOn: Day | null = null) => {
    const found = { kind: 'issued', dueOn, awaitedDueOn, barCode: BAR_CODE, pixEmv: null } as const;
    const result = resultOfKeptSearch(boleto, found);
    assert.ok(result.kind === 'changed' && result.warning === 'dueDayKept');
    const move = moveOf(boleto, result.change, NOW);
    return [move?.to, move?.stateBefore, move?.days.dueOn, move?.wanted?.dueOn, move?.news?.after];
  };
  const { dueOn } = boleto;
  assert.deepEqual(moveFor(dueOn), ['overdue', null, dueOn, undefined, 'dueDayKept']);
  assert.deepEqual(moveFor(LATER.dueOn), ['issued', null, LATER.dueOn, undefined, 'dueDayChanged']);
  assert.deepEqual(moveFor(dueOn, LATER.dueOn), ['changing', 'overdue', dueOn, LATER.dueOn, undefined]);
  const latest = addDays(LATER.dueOn, 1);
  const both = ['changing', 'issued', LATER.dueOn, latest, 'dueDayChanged'];
  assert.deepEqual(moveFor(LATER.dueOn, latest), both);
});

test('a change that the bank never answers is given up once the boleto is over with either day', () => {
  const boleto = { ...boletoIn('changing'), wanted: LATER };
  const overOn = addDays(businessDayFrom(addDays(LATER.payableUntil, 1)), 1);
  assert.equal(isOverAnyway(boleto, instant(startOfSaoPauloDay(overOn) - 1)), false);
  assert.equal(isOverAnyway(boleto, startOfSaoPauloDay(overOn)), true);
  const result = resultOfWaiting(boleto);
  assert.ok(result.kind === 'changed');
  const move = moveOf(boleto, result.change, startOfSaoPauloDay(overOn));
  assert.deepEqual([move?.to, move?.actsAt], ['overdue', startOfSaoPauloDay(addDays(overOn, 1))]);
});

test('what the bank says is paid and does not report is asked for again on the next day', () => {
  const boleto = boletoIn('canceling', { isExpiring: true });
  const now = startOfSaoPauloDay(addDays(boleto.payableUntil, 4));
  const move = moveOf(boleto, { event: 'keepOverdue' }, now);
  assert.equal(saoPauloDay(move?.actsAt as Instant), addDays(saoPauloDay(now), 1));
});

test('late it costs fine and interest by days, early the discount comes off, and in time it is the value', () => {
  const boleto = boletoIn('issued', {
    finePortion: 200,
    interestPortion: 100,
    discount: { amount: cents(500), until: '2026-12-05' as Day },
  });
  assert.equal(amountDue(boleto, '2026-12-05' as Day), 9_500);
  assert.equal(amountDue(boleto, '2026-12-10' as Day), 10_000);
  assert.equal(amountDue(boleto, '2026-12-25' as Day), 10_000 + 200 + 50);
  // A Saturday: Monday is in time.
  const saturday = { ...boleto, dueOn: '2026-12-12' as Day };
  assert.equal(amountDue(saturday, '2026-12-14' as Day), 10_000);
  assert.equal(amountDue(saturday, '2026-12-15' as Day), 10_000 + 200 + 10);
});

test('terms must not lie in the past, nor contradict each other', () => {
  const today = '2026-12-01' as Day;
  const discount = { amount: cents(100), until: today };
  assert.deepEqual(termsFaults({ amount: cents(101), dueOn: today, discount }, today), []);
  assert.deepEqual(termsFaults({ dueOn: addDays(today, -1) }, today), ['dueInThePast']);
  assert.deepEqual(termsFaults({ dueOn: addDays(today, 1_826) }, today), ['dueTooFarAhead']);
  assert.deepEqual(termsFaults({ amount: cents(100), dueOn: today, discount }, today), ['discountTooLarge']);
  assert.deepEqual(termsFaults({ discount: { ...discount, until: addDays(today, -1) } }, today), [
    'discountInThePast',
  ]);
  assert.deepEqual(
    termsFaults({ dueOn: today, discount: { ...discount, until: addDays(today, 1) } }, today),
    ['discountAfterDueDay'],
  );
});

const isAsked = (state: BoletoState) => state === 'canceling' || state === 'changing';

test('a filter by statusBill finds exactly what is shown with it', () => {
  const boletos = BOLETO_STATES.filter((state) => state !== 'refused').flatMap((state) =>
    isAsked(state) ? [boletoIn(state, { stateBefore: 'issued' }), boletoIn(state)] : [boletoIn(state)],
  );
  for (const boleto of boletos)
    for (let status = 0; status <= 5; status += 1) {
      const states = statesOfStatus(status);
      const isFound = isAsked(boleto.state)
        ? boleto.stateBefore === states?.canceledFrom
        : boleto.state === states?.state;
      assert.equal(isFound, statusBill(boleto) === status, `${boleto.state} ${status}`);
    }
});
