import {
  AFTER_RESTORE,
  AUDIT,
  BILLINGS,
  BOLETOS,
  CALENDAR,
  CARD_FIELDS,
  CHARGE,
  CHARTS,
  CREDENTIALS,
  DELIVERIES,
  DIFFERENCES,
  DISPUTES,
  EXCEPTIONS,
  FEES,
  FILES,
  FIRST_STEPS,
  HEALTH,
  HISTORY,
  KEYS,
  LINKS,
  MERCHANT_EXCEPTIONS,
  MERCHANTS,
  NOTIFICATIONS,
  OVER_TIME,
  PAYMENTS,
  PLANS,
  RECEIVABLES,
  RECONCILIATION,
  ROUTING,
  SUBSCRIPTIONS,
  TEST_ACQUIRER,
  TEST_CLOCK,
  TODAY,
  TRIAL_CARDS,
  UNRESOLVED,
  USERS,
  WAITING,
} from './paths.ts';

export type MenuGroup = {
  readonly of: 'merchant' | 'operator';
  readonly title: string;
  /** Paths of screens, in this order. Every other page is reached from one of them. */
  readonly paths: readonly string[];
};

export const MENU: readonly MenuGroup[] = [
  { of: 'merchant', title: 'Sales', paths: [TODAY, PAYMENTS, CHARGE, LINKS, BOLETOS, CHARTS] },
  {
    of: 'merchant',
    title: 'Recurrence',
    paths: [SUBSCRIPTIONS, BILLINGS, CALENDAR, PLANS, AFTER_RESTORE.merchant],
  },
  {
    of: 'merchant',
    title: 'Finance',
    paths: [RECEIVABLES, RECONCILIATION, MERCHANT_EXCEPTIONS, DISPUTES, WAITING.merchant],
  },
  { of: 'merchant', title: 'Developers', paths: [NOTIFICATIONS, DELIVERIES, CREDENTIALS, CARD_FIELDS] },
  { of: 'merchant', title: 'Team', paths: [USERS.merchant, HISTORY] },
  { of: 'merchant', title: 'Tests', paths: [FIRST_STEPS, TEST_CLOCK, TRIAL_CARDS, TEST_ACQUIRER] },
  {
    of: 'operator',
    title: 'Operation',
    paths: [HEALTH, OVER_TIME, UNRESOLVED, WAITING.operator, AFTER_RESTORE.operator],
  },
  { of: 'operator', title: 'Settlement', paths: [EXCEPTIONS, FILES, DIFFERENCES, FEES] },
  { of: 'operator', title: 'Merchants', paths: [MERCHANTS, ROUTING] },
  { of: 'operator', title: 'Security', paths: [KEYS, USERS.operator, AUDIT] },
];
