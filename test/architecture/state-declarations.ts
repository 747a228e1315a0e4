import type { Declarations } from './state-fence.ts';

/** Which statement writes which state by which event: what the text of a statement alone does not show. */
export const STATE_DECLARATIONS: Declarations = {
  updates: {
    'transactions.commit_outcomes': [
      {
        table: 'transactions',
        cells: {
          'charging.approve': 'approved',
          'charging.decline': 'declined',
          'charging.lose': 'unresolved',
          'unresolved.keep': 'approved',
          'capturing.capture': 'approved',
        },
        fromBy: 'OutcomeRow.expected',
        toBy: 'OutcomeRow.state',
      },
    ],
    'transactions.commit_outcomes_plain': [{ table: 'transactions', cells: ['charging.approve'] }],
    'transactions.claim_unresolved': [{ table: 'transactions', cells: ['charging.lose', 'unresolved.lose'] }],
    'transactions.finish_resolution': [
      {
        table: 'transactions',
        cells: { 'unresolved.void': 'voided', 'unresolved.decline': 'declined' },
        toBy: 'Resolution.state',
      },
    ],
    'transactions.decide_unresolved': [
      {
        table: 'transactions',
        cells: {
          'charging.dismiss': 'voided',
          'charging.decline': 'declined',
          'unresolved.dismiss': 'voided',
          'unresolved.decline': 'declined',
        },
        toBy: 'ChargeDecision',
      },
    ],
    'transactions.end_unsent': [{ table: 'transactions', cells: ['charging.withdraw'] }],
    'transactions.commit_preauthorizations': [{ table: 'transactions', cells: ['charging.preauthorize'] }],
    'preauthorizations.release': [{ table: 'transactions', cells: ['preauthorized.release'] }],
    'preauthorizations.expire': [{ table: 'transactions', cells: ['preauthorized.release'] }],
    'preauthorizations.expire_of_merchant': [{ table: 'transactions', cells: ['preauthorized.release'] }],
    'captures.commit_intents': [{ table: 'transactions', cells: ['preauthorized.startCapture'] }],
    'captures.record': [{ table: 'captures', cells: ['capturing.confirm'] }],
    'captures.record_refusal': [
      { table: 'captures', cells: ['capturing.refuse', 'capturing.withdraw'] },
      { table: 'transactions', cells: ['capturing.failCapture'] },
    ],
    'changes.record': [
      { table: 'acquirer_changes', cells: ['waiting.apply'] },
      {
        table: 'installments',
        cells: {
          'authorized.settle': 'paid',
          'authorized.block': 'blocked',
          'paid.block': 'blocked',
          'blocked.settle': 'paid',
          'blocked.unblock': 'asBefore',
        },
        toBy: 'installmentAfter',
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
      { table: 'cancels', cells: ['canceling.confirm', 'pending.confirm'] },
      { table: 'installments', cells: ['authorized.cancel', 'paid.cancel', 'blocked.cancel'] },
    ],
    'cancels.record_refusal': [
      { table: 'cancels', cells: ['canceling.refuse', 'pending.refuse', 'canceling.withdraw'] },
    ],
    'cancels.record_accepted': [{ table: 'cancels', cells: ['canceling.accept', 'pending.accept'] }],
    'boletos.move': [
      {
        table: 'boletos',
        cells: {
          'issuing.issue': 'issued',
          'issuing.refuse': 'refused',
          'issuing.withdraw': 'refused',
          'issued.lapse': 'overdue',
          'issued.startCancel': 'canceling',
          'issued.startChange': 'changing',
          'issued.pay': 'paid',
          'issued.cancel': 'canceled',
          'issued.expire': 'expired',
          'overdue.startCancel': 'canceling',
          'overdue.startExpiry': 'canceling',
          'overdue.startChange': 'changing',
          'overdue.pay': 'paid',
          'overdue.cancel': 'canceled',
          'overdue.expire': 'expired',
          'canceling.resumeChange': 'changing',
          'changing.resumeChange': 'changing',
          'canceling.change': 'issued',
          'canceling.keepIssued': 'issued',
          'canceling.keepOverdue': 'overdue',
          'canceling.pay': 'paid',
          'canceling.cancel': 'canceled',
          'canceling.expire': 'expired',
          'changing.startCancel': 'canceling',
          'changing.change': 'issued',
          'changing.keepIssued': 'issued',
          'changing.keepOverdue': 'overdue',
          'changing.pay': 'paid',
          'changing.cancel': 'canceled',
          'changing.expire': 'expired',
        },
        fromBy: 'BoletoMove.from',
        toBy: 'moveOf',
      },
    ],
    'boletos.resume_changes': [{ table: 'boletos', cells: ['issued.resumeChange', 'overdue.resumeChange'] }],
    'pix_charges.move': [
      {
        table: 'pix_charges',
        cells: {
          'issuing.issue': 'waiting',
          'issuing.refuse': 'refused',
          'issuing.withdraw': 'refused',
          'waiting.startRemove': 'removing',
          'waiting.startExpiry': 'removing',
          'waiting.pay': 'paid',
          'removing.keep': 'waiting',
          'removing.pay': 'paid',
          'removing.cancel': 'canceled',
          'removing.expire': 'expired',
          'paid.giveBack': 'returned',
        },
        fromBy: 'PixMove.from',
        toBy: 'moveOf',
      },
    ],
    'pix_receipts.apply': [{ table: 'pix_receipts', cells: ['waiting.apply'] }],
    'pix_refunds.confirm': [{ table: 'pix_refunds', cells: ['refunding.confirm', 'pending.confirm'] }],
    'pix_refunds.accept': [{ table: 'pix_refunds', cells: ['refunding.accept', 'pending.accept'] }],
    'pix_refunds.doubt': [{ table: 'pix_refunds', cells: ['refunding.doubt', 'pending.doubt'] }],
    'pix_refunds.refuse': [
      { table: 'pix_refunds', cells: ['refunding.refuse', 'pending.refuse', 'refunding.withdraw'] },
    ],
    'bank_changes.apply': [{ table: 'bank_changes', cells: ['waiting.apply'] }],
    'bank_changes.refuse': [{ table: 'bank_changes', cells: ['waiting.refuse'] }],
    'deliveries.record_tries': [
      {
        table: 'deliveries',
        cells: { 'waiting.deliver': 'delivered', 'waiting.retry': 'waiting', 'waiting.giveUp': 'givenUp' },
        toBy: 'Fate.state',
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
    'webhooks.restore': [{ table: 'webhook_endpoints', cells: ['disabled.register', 'removed.register'] }],
    'subscriptions.move': [
      {
        table: 'subscriptions',
        cells: {
          'blocked.activate': 'active',
          'canceled.activate': 'active',
          'active.cancel': 'canceled',
          'blocked.cancel': 'canceled',
          'pending.cancel': 'canceled',
        },
        toBy: 'statusMove',
      },
      {
        table: 'billings',
        cells: ['opened.cancel'],
        fromBy: "'opened'",
      },
    ],
    'payment_links.begin': [{ table: 'payment_links', cells: ['open.begin'] }],
    'payment_links.pay': [{ table: 'payment_links', cells: ['open.pay', 'paying.pay'] }],
    'payment_links.fail': [{ table: 'payment_links', cells: ['open.fail', 'paying.fail'] }],
    'payment_links.disable': [{ table: 'payment_links', cells: ['open.disable'] }],
    'payment_links.drop': [{ table: 'payment_links', cells: ['open.drop', 'paying.drop'] }],
    'payment_links.close_restored': [{ table: 'payment_links', cells: ['open.close', 'paying.close'] }],
    'pix_authorizations.make': [{ table: 'pix_authorizations', cells: ['asking.make'] }],
    'pix_authorizations.end': [
      {
        table: 'pix_authorizations',
        cells: ['ending.end'],
      },
    ],
    'pix_authorizations.appear': [{ table: 'pix_authorizations', cells: ['ending.appear', 'ended.appear'] }],
    'pix_authorizations.move_subscription': [
      {
        table: 'subscriptions',
        cells: {
          'pending.authorize': 'active',
          'pending.reject': 'rejected',
          'pending.expire': 'expired',
          'pending.cancel': 'canceled',
          'active.cancel': 'canceled',
          'blocked.cancel': 'canceled',
        },
        toBy: 'SubscriptionMove.to',
      },
      { table: 'billings', cells: ['opened.cancel'] },
      { table: 'pix_authorizations', cells: ['waiting.approve'] },
    ],
    'pix_collections.decide': [
      {
        table: 'pix_collections',
        cells: {
          'open.pay': 'paid',
          'open.fail': 'failed',
          'open.deny': 'denied',
          'open.invalidate': 'invalid',
          'open.void': 'voided',
        },
        toBy: 'Decision',
      },
    ],
    'plan_cancellations.end_subscriptions': [
      { table: 'subscriptions', cells: ['active.cancel', 'blocked.cancel', 'pending.cancel'] },
    ],
    'plan_cancellations.cancel_billings': [{ table: 'billings', cells: ['opened.cancel'] }],
    'billings.cancel': [
      {
        table: 'billings',
        cells: ['opened.cancel'],
        fromBy: "'opened'",
      },
    ],
    'billings.end_subscription': [
      {
        table: 'subscriptions',
        cells: {
          'active.complete': 'completed',
          'pending.complete': 'completed',
          'blocked.complete': 'completed',
          'canceled.complete': 'completed',
        },
        toBy: 'billingAfterCancel',
      },
    ],
    'chargebacks.block': [
      { table: 'subscriptions', cells: ['active.block', 'blocked.block'] },
      { table: 'billings', cells: ['opened.cancel'] },
    ],
    'charging.end_charges': [
      {
        table: 'billings',
        cells: {
          'opened.approve': 'paid',
          'opened.retry': 'opened',
          'opened.deny': 'denied',
          'opened.invalidate': 'paymentInvalid',
          'opened.cancel': 'canceled',
          'paymentInvalid.approve': 'paid',
          'paymentInvalid.deny': 'paymentInvalid',
          'paymentInvalid.invalidate': 'paymentInvalid',
          'denied.approve': 'paid',
          'denied.deny': 'denied',
          'denied.invalidate': 'denied',
        },
        toBy: 'billingAfterCharge, billingAfterChargeByHand, billingAfterVoid',
      },
      {
        table: 'subscriptions',
        cells: {
          'active.block': 'blocked',
          'active.cancel': 'canceled',
          'active.complete': 'completed',
          'blocked.complete': 'completed',
          'canceled.complete': 'completed',
          'pending.cancel': 'canceled',
        },
        toBy: 'billingAfterCharge',
      },
      { table: 'billings', cells: ['opened.cancel'] },
    ],
    'plans.move': [
      {
        table: 'plans',
        cells: {
          'active.deactivate': 'inactive',
          'active.cancel': 'canceled',
          'inactive.activate': 'active',
          'inactive.cancel': 'canceled',
          'canceled.activate': 'active',
          'canceled.deactivate': 'inactive',
        },
        toBy: 'MoveRow.state',
      },
    ],
    'reconciliation_exceptions.record': [
      {
        table: 'reconciliation_exceptions',
        cells: {
          'open.explain': 'explained',
          'open.heal': 'healed',
          'explained.heal': 'healed',
          'explained.reopen': 'open',
          'healed.reopen': 'open',
          'resolved.reopen': 'open',
        },
        toBy: 'exceptionMove',
      },
    ],
    'reconciliation_exceptions.heal_line': [{ table: 'reconciliation_exceptions', cells: ['open.heal'] }],
    'reconciliation_exceptions.heal_some_of_file': [
      { table: 'reconciliation_exceptions', cells: ['open.heal'] },
    ],
    'reconciliation_exceptions.resolve': [
      { table: 'reconciliation_exceptions', cells: ['open.resolve', 'explained.resolve'] },
    ],
    'reconciliation_exceptions.resolve_cause': [
      { table: 'reconciliation_exceptions', cells: ['open.resolve', 'explained.resolve'] },
    ],
  },
  ruled: {
    subscriptions: {
      'active.activate': 'statusMove',
      'canceled.cancel': 'statusMove',
      'completed.cancel': 'statusMove',
      'blocked.block': 'subscriptionChange',
      'canceled.block': 'subscriptionChange',
      'completed.block': 'subscriptionChange',
      'completed.complete': 'subscriptionChange',
      'rejected.cancel': 'statusMove',
      'expired.cancel': 'statusMove',
      'rejected.complete': 'subscriptionChange',
      'expired.complete': 'subscriptionChange',
    },
    plans: {
      'active.activate': 'movePlan',
      'inactive.deactivate': 'movePlan',
      'canceled.cancel': 'movePlan',
    },
  },
  inserts: {
    // A rule may know why from the beginning.
    'reconciliation_exceptions.record': ['open', 'explained'],
    // A plan begins in the state that its merchant gives it.
    // A Pix that was collected is told once it is paid.
    'pix_charges.record_collected': ['paid'],
    // What arrived for a charge that was over needs a Pix to stand under.
    'pix_charges.record_over': ['canceled'],
    // The bank has given it back already.
    'pix_refunds.record_return': ['refunded'],
    'plans.insert': ['active', 'inactive', 'canceled'],
    // A test is written with its one try.
    'history.record_test': ['delivered', 'givenUp'],
  },
};
