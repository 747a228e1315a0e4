import { BOLETO_ACTIONS, BOLETO_SCREENS } from './boletos/boleto-screens.ts';
import { BUYER_ACTIONS, BUYER_SCREENS } from './buyers/buyer-screens.ts';
import { CHARGE_ACTIONS, CHARGE_SCREENS } from './charges/charge-screens.ts';
import { CHART_SCREENS } from './charts/chart-screens.ts';
import { CARD_FIELDS_ACTIONS, CARD_FIELDS_SCREENS } from './credentials/card-fields-screens.ts';
import { CREDENTIAL_ACTIONS, CREDENTIAL_SCREENS } from './credentials/credential-screens.ts';
import { FILTER_SCREENS } from './filters/filter-screens.ts';
import { HISTORY_SCREENS } from './history/history-screens.ts';
import { LINK_ACTIONS, LINK_SCREENS } from './links/link-screens.ts';
import { AFTER_RESTORE_ACTIONS, AFTER_RESTORE_SCREENS } from './merchants/after-restore-screens.ts';
import { MERCHANT_ACTIONS } from './merchants/merchant-actions.ts';
import { MERCHANT_SCREENS } from './merchants/merchant-screens.ts';
import { ROUTING_ACTIONS, ROUTING_SCREENS } from './merchants/routing-screens.ts';
import { ADDRESS_ACTIONS, ADDRESS_SCREENS } from './notifications/address-screens.ts';
import { DELIVERY_ACTIONS, DELIVERY_SCREENS } from './notifications/delivery-screens.ts';
import type { ConsoleTools } from './open-console-tools.ts';
import { AUDIT_SCREENS } from './operator/audit-screens.ts';
import { HEALTH_SCREENS } from './operator/health-screens.ts';
import { OVER_TIME_SCREENS } from './operator/over-time-screens.ts';
import type { Action, Screen } from './parts/screen.ts';
import { PAYMENT_ACTIONS } from './payments/payment-actions.ts';
import { PAYMENT_FILE_SCREENS } from './payments/payment-file-screens.ts';
import { PAYMENT_SCREENS } from './payments/payment-screens.ts';
import { SEARCH_SCREENS } from './payments/search-screens.ts';
import { RECEIPT_SCREENS } from './receipts/receipt-screens.ts';
import { DAY_SHEET_SCREENS } from './reconciliation/day-sheet-screens.ts';
import { DISPUTE_SCREENS } from './reconciliation/dispute-screens.ts';
import { RECEIVABLE_FILE_SCREENS } from './reconciliation/receivable-file-screens.ts';
import { RECONCILIATION_SCREENS } from './reconciliation/reconciliation-screens.ts';
import { BILLING_ACTIONS, BILLING_SCREENS } from './recurrence/billing-screens.ts';
import { CALENDAR_SCREENS } from './recurrence/calendar-screens.ts';
import { PLAN_ACTIONS } from './recurrence/plan-actions.ts';
import { PLAN_SCREENS } from './recurrence/plan-screens.ts';
import { SUBSCRIPTION_ACTIONS, SUBSCRIPTION_SCREENS } from './recurrence/subscription-screens.ts';
import { WAITING_ACTIONS, WAITING_SCREENS } from './second-person/waiting-screens.ts';
import { DIFFERENCE_SCREENS } from './settlement/difference-screens.ts';
import { EXCEPTION_ACTIONS, EXCEPTION_SCREENS } from './settlement/exception-screens.ts';
import { FILE_SCREENS } from './settlement/file-screens.ts';
import { TODAY_SCREENS } from './today/today-screens.ts';
import { UNRESOLVED_ACTIONS, UNRESOLVED_SCREENS } from './unresolved/unresolved-screens.ts';
import { FEE_ACTIONS, FEE_SCREENS } from './upkeep/fee-screens.ts';

import { KEY_SCREENS } from './upkeep/key-screens.ts';
import { USER_ACTIONS } from './users/user-actions.ts';
import { USER_SCREENS } from './users/user-screens.ts';

/** Every page and action behind the sign-in, but homologation's. Add new ones here. */
export const SCREENS: readonly Screen<ConsoleTools>[] = [
  ...TODAY_SCREENS,
  ...PAYMENT_SCREENS,
  ...PAYMENT_FILE_SCREENS,
  ...RECEIPT_SCREENS,
  ...BUYER_SCREENS,
  ...SEARCH_SCREENS,
  ...FILTER_SCREENS,
  ...SUBSCRIPTION_SCREENS,
  ...BILLING_SCREENS,
  ...CALENDAR_SCREENS,
  ...PLAN_SCREENS,
  ...BOLETO_SCREENS,
  ...LINK_SCREENS,
  ...CHARGE_SCREENS,
  ...RECONCILIATION_SCREENS,
  ...RECEIVABLE_FILE_SCREENS,
  ...DAY_SHEET_SCREENS,
  ...DISPUTE_SCREENS,
  ...ADDRESS_SCREENS,
  ...DELIVERY_SCREENS,
  ...CREDENTIAL_SCREENS,
  ...CARD_FIELDS_SCREENS,
  ...CHART_SCREENS,
  ...HEALTH_SCREENS,
  ...OVER_TIME_SCREENS,
  ...UNRESOLVED_SCREENS,
  ...EXCEPTION_SCREENS,
  ...FILE_SCREENS,
  ...DIFFERENCE_SCREENS,
  ...WAITING_SCREENS,
  ...AFTER_RESTORE_SCREENS,
  ...MERCHANT_SCREENS,
  ...ROUTING_SCREENS,
  ...FEE_SCREENS,
  ...KEY_SCREENS,
  ...USER_SCREENS,
  ...HISTORY_SCREENS,
  ...AUDIT_SCREENS,
];

export const ACTIONS: readonly Action<ConsoleTools>[] = [
  ...PAYMENT_ACTIONS,
  ...BUYER_ACTIONS,
  ...SUBSCRIPTION_ACTIONS,
  ...PLAN_ACTIONS,
  ...BILLING_ACTIONS,
  ...BOLETO_ACTIONS,
  ...LINK_ACTIONS,
  ...CHARGE_ACTIONS,
  ...ADDRESS_ACTIONS,
  ...DELIVERY_ACTIONS,
  ...CREDENTIAL_ACTIONS,
  ...CARD_FIELDS_ACTIONS,
  ...UNRESOLVED_ACTIONS,
  ...EXCEPTION_ACTIONS,
  ...WAITING_ACTIONS,
  ...AFTER_RESTORE_ACTIONS,
  ...MERCHANT_ACTIONS,
  ...ROUTING_ACTIONS,
  ...FEE_ACTIONS,
  ...USER_ACTIONS,
];
