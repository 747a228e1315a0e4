import { after, before, test } from 'node:test';
import { type Chance, chanceFrom } from '../../../chaos/chance.ts';
import { sliceOf } from '../../kit/patience.ts';
import type { Door, Turn } from './door.ts';
import {
  askForNobodys,
  compareAll,
  listBillings,
  listPlans,
  listSubscriptions,
  listWrongly,
} from './list-steps.ts';
import { type ModelService, openModelService } from './model-service.ts';
import {
  createPlan,
  createWrongPlan,
  moveStatusOfPlan,
  readPlan,
  updatePlan,
  updatePlanAsAnother,
} from './plan-steps.ts';
import {
  cancelOneBilling,
  changeCard,
  chargeOneByHand,
  createSubscription,
  moveClock,
  moveStatusOfSubscription,
  readBilling,
  readSubscription,
} from './subscription-steps.ts';

/**
 * The same in every run of the tests; `MODEL_SEED=… npm test --
 * test/recurrence/model/model.test.ts` runs one by itself, or several with commas between.
 */
const SEEDS = Array.from({ length: sliceOf(12, 2) }, (_, index) => 1_000 + index);
const seeds = process.env.MODEL_SEED?.split(',').map(Number) ?? SEEDS;
const STEPS = Number(process.env.MODEL_STEPS ?? 40);
const TOLD_STEPS = 12;

type Step = (turn: Turn) => Promise<void>;

/** How often each is drawn, beside the others. */
const WEIGHTS: readonly (readonly [Step, number])[] = [
  [createPlan, 8],
  [createWrongPlan, 4],
  [readPlan, 3],
  [updatePlan, 10],
  [updatePlanAsAnother, 2],
  [moveStatusOfPlan, 7],
  [createSubscription, 14],
  [readSubscription, 3],
  [moveStatusOfSubscription, 14],
  [changeCard, 9],
  [readBilling, 4],
  [cancelOneBilling, 12],
  [moveClock, 24],
  [chargeOneByHand, 7],
  [listWrongly, 3],
  [askForNobodys, 2],
];
/** Of any part, in any order: one after each step. */
const LISTS: readonly Step[] = [listPlans, listSubscriptions, listBillings];
/** Without plans and enrolments little can be done: a run begins with some. */
const BEGINNING: readonly Step[] = [createPlan, createPlan, createSubscription, createSubscription];

let service: ModelService;
before(async () => {
  service = await openModelService();
});
after(() => service?.close());

for (const seed of seeds) {
  test(`whatever two merchants do with plans, subscriptions and billings, each finds what a small model says (seed ${seed})`, async () => {
    const reported: string[] = [];
    try {
      await runModel(chanceFrom(seed), await service.openDoors(String(seed)), reported);
    } catch (error) {
      console.error(`MODEL_SEED=${seed} MODEL_STEPS=${STEPS}, the last steps:`);
      for (const line of reported.slice(-TOLD_STEPS)) console.error(`  ${line}`);
      throw error;
    }
  });
}

async function runModel(
  chance: Chance,
  [one, another]: readonly [Door, Door],
  reported: string[],
): Promise<void> {
  const turnOf = (own: Door, other: Door): Turn => ({
    own,
    other,
    chance,
    report: (line) => reported.push(`${own.model.userName}: ${line}`),
  });
  const take = async (turn: Turn, step: Step) => {
    await step(turn);
    await compareAll(turn.own);
    await chance.pick(LISTS)(turn);
  };
  for (const step of BEGINNING) {
    await take(turnOf(one, another), step);
    await take(turnOf(another, one), step);
  }
  for (let count = 0; count < STEPS; count += 1) {
    const turn = chance.isIn(0.65) ? turnOf(one, another) : turnOf(another, one);
    await take(turn, drawStep(chance));
  }
  // What the other did is not seen here, whoever came last.
  await compareAll(one);
  await compareAll(another);
}

function drawStep(chance: Chance): Step {
  let left = chance.whole(
    1,
    WEIGHTS.reduce((sum, [, weight]) => sum + weight, 0),
  );
  for (const [step, weight] of WEIGHTS) {
    left -= weight;
    if (left <= 0) return step;
  }
  throw new Error('the weights are exhausted before the number that was drawn from them');
}
