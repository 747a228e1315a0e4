import { hostname } from 'node:os';
import type { Audit } from '../audit/audit-event.ts';
import { errorFields } from '../platform/log.ts';
import { counter } from '../platform/metrics.ts';
import type { ModuleContext } from '../platform/module.ts';
import { openReminder } from '../platform/reminder.ts';
import type { CardTesting, CardTestingMode } from './card-testing.ts';

const CARD_TESTING_TRIES = counter(
  'parcela_card_testing_tries_total',
  'Payments and verifications that look like a test of cards, by what gave them away.',
  ['kind'],
);

type AlarmContext = Pick<ModuleContext, 'log' | 'metrics'> & {
  readonly configuration: { readonly antiFraud: { readonly cardTesting: CardTestingMode } };
  readonly audit: Pick<Audit, 'record'>;
};

const ALARMS = {
  cards: 'many cards of one merchant are declined: somebody may be testing cards there',
  codes: 'one card is tried again and again: somebody may be guessing its security code',
} as const satisfies Record<CardTesting, string>;

/**
 * Counted each time; in the log as an error and in the audit log once, and again while it goes on.
 */
export function openCardTestingAlarm({ audit, log, metrics, configuration }: AlarmContext) {
  const mode = configuration.antiFraud.cardTesting;
  const tries = metrics.counter(CARD_TESTING_TRIES);
  const reminder = openReminder((reason, times) => {
    const [kind, merchantId = ''] = reason.split('|') as [CardTesting, string];
    log.error({ merchantId, kind, times }, ALARMS[kind]);
    const detail = { kind, mode };
    const resource = `merchants/${merchantId}`;
    audit
      .record({
        actor: 'system',
        origin: hostname(),
        action: 'card.test',
        outcome: 'failure',
        resource,
        detail,
      })
      .catch((error) => log.warn(errorFields(error), 'an alarm is missing in the audit log'));
  });
  return (merchantId: string, kind: CardTesting): void => {
    tries.inc({ kind });
    reminder.report(`${kind}|${merchantId}`);
  };
}
