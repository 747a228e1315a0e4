import type { Language } from '../platform/http/sentence.ts';
import BOLETO_TEXTS from './boletos/texts.json' with { type: 'json' };
import BUYER_TEXTS from './buyers/texts.json' with { type: 'json' };
import CHARGE_TEXTS from './charges/texts.json' with { type: 'json' };
import CHART_TEXTS from './charts/texts.json' with { type: 'json' };
import CREDENTIAL_TEXTS from './credentials/texts.json' with { type: 'json' };
import FILTER_TEXTS from './filters/texts.json' with { type: 'json' };
import HISTORY_TEXTS from './history/texts.json' with { type: 'json' };
import LINK_TEXTS from './links/texts.json' with { type: 'json' };
import MERCHANT_TEXTS from './merchants/texts.json' with { type: 'json' };
import NOTIFICATION_TEXTS from './notifications/texts.json' with { type: 'json' };
import OPERATOR_TEXTS from './operator/texts.json' with { type: 'json' };
import PART_TEXTS from './parts/texts.json' with { type: 'json' };
import { type Wording, wordingIn } from './parts/wording.ts';
import PAYMENT_TEXTS from './payments/texts.json' with { type: 'json' };
import RECEIPT_TEXTS from './receipts/texts.json' with { type: 'json' };
import RECONCILIATION_TEXTS from './reconciliation/texts.json' with { type: 'json' };
import RECURRENCE_TEXTS from './recurrence/texts.json' with { type: 'json' };
import SECOND_PERSON_TEXTS from './second-person/texts.json' with { type: 'json' };
import SETTLEMENT_TEXTS from './settlement/texts.json' with { type: 'json' };
import TODAY_TEXTS from './today/texts.json' with { type: 'json' };
import UNRESOLVED_TEXTS from './unresolved/texts.json' with { type: 'json' };
import UPKEEP_TEXTS from './upkeep/texts.json' with { type: 'json' };
import USER_TEXTS from './users/texts.json' with { type: 'json' };

/** The Portuguese of each text; the key is the English, as it stands in the code. */
export const CONSOLE_TEXTS: Readonly<Record<string, string>> = {
  ...PART_TEXTS.portuguese,
  ...TODAY_TEXTS.portuguese,
  ...USER_TEXTS.portuguese,
  ...HISTORY_TEXTS.portuguese,
  ...PAYMENT_TEXTS.portuguese,
  ...BUYER_TEXTS.portuguese,
  ...OPERATOR_TEXTS.portuguese,
  ...RECURRENCE_TEXTS.portuguese,
  ...BOLETO_TEXTS.portuguese,
  ...LINK_TEXTS.portuguese,
  ...CHARGE_TEXTS.portuguese,
  ...RECONCILIATION_TEXTS.portuguese,
  ...NOTIFICATION_TEXTS.portuguese,
  ...CREDENTIAL_TEXTS.portuguese,
  ...CHART_TEXTS.portuguese,
  ...UNRESOLVED_TEXTS.portuguese,
  ...SETTLEMENT_TEXTS.portuguese,
  ...MERCHANT_TEXTS.portuguese,
  ...RECEIPT_TEXTS.portuguese,
  ...FILTER_TEXTS.portuguese,
  ...UPKEEP_TEXTS.portuguese,
  ...SECOND_PERSON_TEXTS.portuguese,
};

export type ConsoleWording = (language: Language) => Wording;

/** `more`: the Portuguese of homologation's pages, which production does not have. */
export function consoleWording(more: Readonly<Record<string, string>> = {}): ConsoleWording {
  const wordings = { pt: wordingIn('pt', { ...CONSOLE_TEXTS, ...more }), en: wordingIn('en', {}) };
  return (language) => wordings[language];
}
