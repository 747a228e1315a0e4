import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Instant } from '../../values/instant.ts';
import { type PlanAmount, planAmount } from '../../values/plan-amount.ts';
import { ENDLESS, INTERVAL_DAYS, PLAN_STATES, PLAN_TYPES, type Plan, type Terms } from './plan.ts';
import { newTerms, planEdit, TERMS_FIELDS, type WantedPlan } from './plan-edit.ts';

const reais = (value: number): PlanAmount => planAmount(value) as PlanAmount;

const anyTerms: fc.Arbitrary<Terms> = fc
  .record({
    amount: fc.constantFrom(reais(49.9), reais(50)),
    planType: fc.constantFrom(...PLAN_TYPES),
    trialDays: fc.integer({ min: 0, max: 1 }),
    own: fc.constantFrom(30, 31),
    ownInstallments: fc.integer({ min: 1, max: 2 }),
    hasEnd: fc.boolean(),
    maxRetries: fc.integer({ min: 0, max: 1 }),
  })
  .map(({ own, ownInstallments, hasEnd, ...terms }) => ({
    ...terms,
    paymentMethod: 'creditCard',
    intervalDays: INTERVAL_DAYS[terms.planType] ?? own,
    installments:
      terms.planType === 'custom' || (terms.planType === 'monthly' && hasEnd) ? ownInstallments : ENDLESS,
  }));

const anyPlan: fc.Arbitrary<Plan> = fc
  .record({ terms: anyTerms, state: fc.constantFrom(...PLAN_STATES) })
  .map(({ terms, state }) => ({
    merchantId: 'loja',
    planId: 'plano',
    name: 'Clube',
    description: 'Livro',
    softDescriptor: null,
    terms,
    state,
    created: { by: 'loja-01', at: 0 as Instant },
    modified: null,
  }));

/**
 * As the HTTP checks let it through: with a fixed type, interval and installments are those of the type, or
 * absent.
 */
const anyWanted: fc.Arbitrary<WantedPlan> = fc
  .record({
    terms: anyTerms,
    left: fc.subarray(['trialDays', 'intervalDays', 'installments', 'maxRetries'] as const),
    name: fc.constantFrom('Clube', 'Revista'),
  })
  .map(({ terms, left, name }) => {
    const { amount, planType, paymentMethod } = terms;
    const isNotSent = (field: keyof Terms) => field === 'installments' && terms[field] === ENDLESS;
    const sent = Object.fromEntries(
      left.filter((field) => !isNotSent(field)).map((field) => [field, terms[field]]),
    );
    return { name, description: 'Livro', amount, planType, paymentMethod, ...sent };
  });

const differs = (plan: Plan, wanted: WantedPlan, field: (typeof TERMS_FIELDS)[number]): boolean =>
  wanted[field] !== undefined && wanted[field] !== plan.terms[field];

test('a plan in use changes its name and description only, and every other field is named once', () => {
  fc.assert(
    fc.property(anyPlan, anyWanted, (plan, wanted) => {
      const edit = planEdit(plan, wanted, { isInUse: true, leads: [] });
      if (edit.kind === 'changed') assert.deepEqual(edit.plan.terms, plan.terms);
      if (edit.kind !== 'refused' || edit.refusals[0]?.why === 'missing') return;
      const named = edit.refusals.map(({ field }) => field);
      assert.deepEqual(
        named,
        TERMS_FIELDS.filter((field) => differs(plan, wanted, field)),
      );
      for (const { why, field } of edit.refusals)
        assert.equal(why, field === 'amount' && plan.state === 'active' ? 'active' : 'inUse');
    }),
  );
});

test('of a plan that nobody uses only the amount is held, and only while it is active', () => {
  fc.assert(
    fc.property(anyPlan, anyWanted, (plan, wanted) => {
      const edit = planEdit(plan, wanted, { isInUse: false, leads: [] });
      if (edit.kind === 'refused' && edit.refusals[0]?.why === 'missing') return;
      const isHeld = plan.state === 'active' && wanted.amount !== plan.terms.amount;
      assert.equal(edit.kind === 'refused', isHeld);
    }),
  );
});

test('whatever is changed, the terms fit their type, and what was left out is as it was', () => {
  fc.assert(
    fc.property(anyPlan, anyWanted, (plan, wanted) => {
      const edit = planEdit(plan, wanted, { isInUse: false, leads: [] });
      if (edit.kind !== 'changed') return;
      const { terms } = edit.plan;
      const fixed = INTERVAL_DAYS[terms.planType];
      if (terms.planType !== 'monthly') assert.equal(terms.installments === ENDLESS, fixed !== null);
      else if (wanted.installments !== undefined) assert.equal(terms.installments, wanted.installments);
      else
        assert.equal(
          terms.installments,
          plan.terms.planType === 'monthly' ? plan.terms.installments : ENDLESS,
        );
      if (fixed !== null) assert.equal(terms.intervalDays, fixed);
      for (const field of ['trialDays', 'maxRetries'] as const)
        assert.equal(terms[field], wanted[field] ?? plan.terms[field]);
      if (fixed === null && plan.terms.planType === 'custom')
        assert.equal(terms.intervalDays, wanted.intervalDays ?? plan.terms.intervalDays);
    }),
  );
});

test('a plan that becomes custom needs interval and installments, each named when it is missing', () => {
  const [plan] = fc.sample(
    anyPlan.filter(({ terms }) => terms.planType === 'monthly'),
    1,
  ) as [Plan];
  const wanted = {
    ...plan,
    amount: plan.terms.amount,
    planType: 'custom',
    paymentMethod: 'creditCard',
  } as const;
  const missing = (change: Partial<WantedPlan>) => {
    const edit = planEdit(plan, { ...wanted, ...change }, { isInUse: true, leads: [] });
    return edit.kind === 'refused'
      ? edit.refusals.filter(({ why }) => why === 'missing').map(({ field }) => field)
      : [];
  };
  assert.deepEqual(missing({}), ['intervalDays', 'installments']);
  assert.deepEqual(missing({ intervalDays: 20 }), ['installments']);
  assert.deepEqual(missing({ installments: 1 }), ['intervalDays']);
  assert.deepEqual(missing({ intervalDays: 20, installments: 1 }), []);
});

test('an edit of what is so already changes nothing', () => {
  fc.assert(
    fc.property(anyPlan, fc.boolean(), (plan, isInUse) => {
      const { name, description, terms } = plan;
      assert.deepEqual(planEdit(plan, { name, description, ...terms }, { isInUse, leads: [] }), {
        kind: 'same',
      });
    }),
  );
});

test('a new plan has no trial and no retries unless asked for', () => {
  const method = { planType: 'yearly', paymentMethod: 'creditCard' } as const;
  const wanted = { name: 'Clube', description: 'Livro', amount: reais(1), ...method } as const;
  const terms = { amount: '1', ...method, trialDays: 0, maxRetries: 0, intervalDays: 365 };
  assert.deepEqual(newTerms(wanted), { ...terms, installments: ENDLESS });
  assert.throws(() => newTerms({ ...wanted, planType: 'custom', intervalDays: 20 }), RangeError);
});
