import { AUDIT_SCREENS, type AuditTools } from './operator/audit-screens.ts';
import { HEALTH_SCREENS, type HealthTools } from './operator/health-screens.ts';
import { MERCHANT_SCREENS, type MerchantTools } from './operator/merchant-screens.ts';
import { USER_SCREENS, type UserTools } from './operator/user-screens.ts';
import { PAYMENT_ACTIONS, PAYMENT_SCREENS, type PaymentTools } from './payments/payment-screens.ts';
import { SEARCH_SCREENS } from './payments/search-screens.ts';
import type { Action, Screen } from './screen.ts';

/** What screens read beside the endpoints of the API. */
export type ConsoleTools = PaymentTools & HealthTools & AuditTools & MerchantTools & UserTools;

/** Every page behind the sign-in, and everything that is done on them: a new one is added here. */
export const SCREENS: readonly Screen<ConsoleTools>[] = [
  ...PAYMENT_SCREENS,
  ...SEARCH_SCREENS,
  ...HEALTH_SCREENS,
  ...MERCHANT_SCREENS,
  ...USER_SCREENS,
  ...AUDIT_SCREENS,
];

export const ACTIONS: readonly Action<ConsoleTools>[] = [...PAYMENT_ACTIONS];
