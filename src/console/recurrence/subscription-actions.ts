import { CHANGE_SUBSCRIPTION_STATUS } from '../../recurrence/subscriptions/contract.ts';
import { SUBSCRIPTION, subscriptionPath } from '../parts/paths.ts';
import type { Action } from '../parts/screen.ts';

const OF_SUBSCRIPTION = {
  roles: ['support', 'finance', 'admin'],
  of: 'merchant',
  contract: CHANGE_SUBSCRIPTION_STATUS,
} as const satisfies Partial<Action>;

const next: Action['next'] = ({ merchantId, parameters: { subscriptionId = '' } }) =>
  subscriptionPath(merchantId, subscriptionId);

export const CANCEL: Action = {
  ...OF_SUBSCRIPTION,
  path: `${SUBSCRIPTION}/cancel`,
  title: 'Cancel the subscription',
  asks: ({ parameters: { subscriptionId = '' } }) => ({
    parameters: { subscriptionId },
    body: { status: 'Canceled' },
  }),
  done: 'The subscription is canceled.',
  next,
};

export const ACTIVATE: Action = {
  ...OF_SUBSCRIPTION,
  path: `${SUBSCRIPTION}/activate`,
  title: 'Activate it again',
  asks: ({ parameters: { subscriptionId = '' } }) => ({
    parameters: { subscriptionId },
    body: { status: 'Active' },
  }),
  done: 'The subscription is active.',
  next,
};

export const SUBSCRIPTION_ACTIONS: readonly Action[] = [CANCEL, ACTIVATE];
