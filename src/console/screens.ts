import { BOLETO_ACTIONS, BOLETO_SCREENS } from './boletos/boleto-screens.ts';
import { CHART_SCREENS } from './charts/chart-screens.ts';
import {
  CREDENTIAL_ACTIONS,
  CREDENTIAL_SCREENS,
  type CredentialTools,
} from './credentials/credential-screens.ts';
import { ADDRESS_ACTIONS, ADDRESS_SCREENS } from './notifications/address-screens.ts';
import { DELIVERY_ACTIONS, DELIVERY_SCREENS } from './notifications/delivery-screens.ts';
import { AUDIT_SCREENS, type AuditTools } from './operator/audit-screens.ts';
import { HEALTH_SCREENS, type HealthTools } from './operator/health-screens.ts';
import { MERCHANT_SCREENS, type MerchantTools } from './operator/merchant-screens.ts';
import { USER_SCREENS, type UserTools } from './operator/user-screens.ts';
import { PAYMENT_ACTIONS, PAYMENT_SCREENS, type PaymentTools } from './payments/payment-screens.ts';
import { SEARCH_SCREENS } from './payments/search-screens.ts';
import { RECONCILIATION_SCREENS } from './reconciliation/reconciliation-screens.ts';
import { BILLING_ACTIONS, BILLING_SCREENS } from './recurrence/billing-screens.ts';
import { PLAN_SCREENS } from './recurrence/plan-screens.ts';
import { SUBSCRIPTION_ACTIONS, SUBSCRIPTION_SCREENS } from './recurrence/subscription-screens.ts';
import type { Action, Screen } from './screen.ts';

/** What screens read beside the endpoints of the API. */
export type ConsoleTools = PaymentTools &
  HealthTools &
  AuditTools &
  MerchantTools &
  UserTools &
  CredentialTools;

/** Every page behind the sign-in, and everything that is done on them: a new one is added here. */
export const SCREENS: readonly Screen<ConsoleTools>[] = [
  ...PAYMENT_SCREENS,
  ...SEARCH_SCREENS,
  ...SUBSCRIPTION_SCREENS,
  ...BILLING_SCREENS,
  ...PLAN_SCREENS,
  ...BOLETO_SCREENS,
  ...RECONCILIATION_SCREENS,
  ...ADDRESS_SCREENS,
  ...DELIVERY_SCREENS,
  ...CREDENTIAL_SCREENS,
  ...CHART_SCREENS,
  ...HEALTH_SCREENS,
  ...MERCHANT_SCREENS,
  ...USER_SCREENS,
  ...AUDIT_SCREENS,
];

export const ACTIONS: readonly Action<ConsoleTools>[] = [
  ...PAYMENT_ACTIONS,
  ...SUBSCRIPTION_ACTIONS,
  ...BILLING_ACTIONS,
  ...BOLETO_ACTIONS,
  ...ADDRESS_ACTIONS,
  ...DELIVERY_ACTIONS,
  ...CREDENTIAL_ACTIONS,
];
