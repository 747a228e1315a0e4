import type { Declarations } from './state-fence.ts';

/** Who writes which state by which event: what the text of a statement alone does not show. */
export const STATE_DECLARATIONS: Declarations = {
  updates: {
    'transactions.commit_outcomes': [
      {
        table: 'transactions',
        cells: ['charging.approve', 'charging.decline', 'charging.lose', 'unresolved.keep'],
        fromBy: 'OutcomeRow.expected',
        toBy: { by: 'OutcomeRow.state', states: ['approved', 'declined', 'unresolved'] },
      },
    ],
    'transactions.claim_unresolved': [{ table: 'transactions', cells: ['charging.lose', 'unresolved.lose'] }],
    'transactions.finish_resolution': [
      {
        table: 'transactions',
        cells: ['unresolved.void', 'unresolved.decline'],
        toBy: { by: 'Resolution.state', states: ['voided', 'declined'] },
      },
    ],
    'transactions.decide_unresolved': [
      {
        table: 'transactions',
        cells: ['charging.dismiss', 'charging.decline', 'unresolved.dismiss', 'unresolved.decline'],
        toBy: { by: 'ChargeDecision', states: ['voided', 'declined'] },
      },
    ],
    'transactions.end_unsent': [{ table: 'transactions', cells: ['charging.withdraw'] }],
    'changes.record': [
      { table: 'acquirer_changes', cells: ['waiting.apply'] },
      {
        table: 'installments',
        cells: ['authorized.settle', 'authorized.block', 'paid.block', 'blocked.settle', 'blocked.unblock'],
        toBy: { by: 'installmentAfter', states: ['paid', 'blocked', 'authorized'] },
      },
    ],
    'changes.take_back': [
      { table: 'acquirer_changes', cells: ['waiting.apply'] },
      {
        table: 'installments',
        cells: ['authorized.chargeback', 'paid.chargeback', 'blocked.chargeback'],
      },
    ],
    'changes.refuse': [{ table: 'acquirer_changes', cells: ['waiting.refuse'] }],
    'cancels.record': [
      { table: 'cancels', cells: ['canceling.confirm'] },
      { table: 'installments', cells: ['authorized.cancel', 'paid.cancel', 'blocked.cancel'] },
    ],
    'cancels.record_refusal': [{ table: 'cancels', cells: ['canceling.refuse', 'canceling.withdraw'] }],
    'deliveries.record_tries': [
      {
        table: 'deliveries',
        cells: ['waiting.deliver', 'waiting.retry', 'waiting.giveUp'],
        toBy: { by: 'Fate.state', states: ['delivered', 'waiting', 'givenUp'] },
      },
    ],
    'history.give_up': [{ table: 'deliveries', cells: ['waiting.giveUp'] }],
    'webhooks.give_up_of_removed': [{ table: 'deliveries', cells: ['waiting.giveUp'] }],
    'history.resend_one': [{ table: 'deliveries', cells: ['delivered.resend', 'givenUp.resend'] }],
    'history.resend_batch': [
      {
        table: 'deliveries',
        cells: ['delivered.resend', 'givenUp.resend'],
        fromBy: 'ResendPlace.state',
      },
    ],
    'webhooks.register': [
      { table: 'webhook_endpoints', cells: ['active.register', 'disabled.register', 'removed.register'] },
    ],
    'webhooks.fail_endpoint': [{ table: 'webhook_endpoints', cells: ['active.disable'] }],
    'webhooks.disable_endpoint': [{ table: 'webhook_endpoints', cells: ['active.disable'] }],
    'history.record_test': [{ table: 'webhook_endpoints', cells: ['active.enable', 'disabled.enable'] }],
    'webhooks.remove': [{ table: 'webhook_endpoints', cells: ['active.remove', 'disabled.remove'] }],
  },
  ruled: {},
  inserts: {
    // A test is written with its one try.
    'history.record_test': ['delivered', 'givenUp'],
  },
};
