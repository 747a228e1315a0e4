import type { FeeChange, NewFees } from '../../transactions/fees/change-fees.ts';
import type { FeeRefusal } from '../../transactions/fees/fee-version.ts';
import { OPERATION_DONE, operationRefused } from '../parts/operation-refused.ts';
import { FEES, pathOf } from '../parts/paths.ts';
import type { Action, Visit } from '../parts/screen.ts';

export const LONGEST_RULES = 10_000;

export type FeeActionTools = {
  readonly changeFees: (visit: Visit, wanted: NewFees) => Promise<FeeChange>;
};

const REFUSALS: Readonly<Record<FeeRefusal, { readonly status: 400 | 404 | 409; readonly text: string }>> = {
  rulesMalformed: { status: 400, text: 'The rules cannot be read: {value}' },
  dayMalformed: { status: 400, text: 'This is no day: {value}' },
  merchantUnknown: { status: 404, text: 'There is no such merchant.' },
  dayOver: { status: 409, text: 'The day {value} is over: what was sold keeps its fee. Choose a later day.' },
  saleAfter: { status: 409, text: 'It would change the fee of a sale that was made at {value}.' },
  sameMoment: { status: 409, text: 'A version is valid from {value} already.' },
};

export const SET_FEES: Action<FeeActionTools> = {
  roles: ['finance', 'admin'],
  of: 'operator',
  path: `${FEES}/set`,
  title: 'New version',
  operation: 'fees.change',
  async perform(visit, { rules = '', from = null, merchant = null }, { changeFees }) {
    const { say } = visit.wording;
    if (rules.length > LONGEST_RULES) return operationRefused(400, say('These are more rules than fit.'));
    if (rules === '' && merchant === null) return operationRefused(400, say('Give the rules.'));
    const changed = await changeFees(visit, { rules, from, merchantId: merchant });
    if (changed.kind === 'changed') return OPERATION_DONE;
    const { status, text } = REFUSALS[changed.refusal];
    return operationRefused(status, say(text, { value: changed.value }));
  },
  done: 'The version stands beside the others.',
  next: () => pathOf(FEES),
};

export const FEE_ACTIONS: readonly Action<FeeActionTools>[] = [SET_FEES];
