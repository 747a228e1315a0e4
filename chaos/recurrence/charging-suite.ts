import type { ChaosBench } from '../chaos-bench.ts';
import type { Finding } from '../judge/finding.ts';
import { type BookedCharge, ledgerPages } from '../judge/ledger-view.ts';
import type { KindResult } from '../results.ts';
import type { Reach, Scene } from '../rounds.ts';
import type { Stage, Suite } from '../suite.ts';
import { judgeAgain } from './judge/judge-merchant.ts';
import type { LedgerLine } from './judge/ledger-view.ts';
import { shopOpener } from './open-chaos-merchant.ts';
import { keepState, prepareBusyRound, prepareRound, stateOf } from './rounds.ts';
import { CHARGING_WORDS, openTally } from './tally.ts';

const REACH: Reach = {
  tables: [
    ...['billings', 'billing_charges', 'subscriptions', 'subscription_events', 'merchant_clocks'],
    ...['transactions', 'installments', 'movements', 'vault_cards'],
    ...['deliveries', 'upcoming_alerts'],
  ],
  rooms: ['recurrence', 'transactions', 'homologation'],
  ofMoney: /^(transactions|billings|charging|clock|enrolments|subscriptions|plans|plan_endings)\./,
  mostWanted: ['enrolments.insert', 'subscriptions.move'],
  busyBatch: prepareBusyRound,
};

/**
 * Billings while things break: what was collected, what is on record, and what merchants were
 * notified of.
 */
export function chargingSuite(options: { readonly billings: number }): Suite {
  return {
    operations: [],
    hasSystems: false,
    hasOwnLastLook: true,
    head: CHARGING_WORDS,
    reach: REACH,
    prepareBatch: prepareRound,
    prepare: async ({ bench }: Stage) => {
      const openShop = await shopOpener(bench);
      keepState(bench, { openShop, tally: openTally(), shops: [], billings: options.billings });
    },
    resolveAndCheck: async ({ bench, name }: Scene, result: KindResult) => {
      const { tally } = stateOf(bench);
      tally.moveTo(result);
      // In the look over everything.
      if (name === '') result.violations.push(...(await lookAgain(bench)).map(textOf));
    },
    checkDatabase: lookAgain,
  };
}

function textOf({ invariant, reference, text }: Finding): string {
  return `${invariant}: ${reference}: ${text}`;
}

/** Every merchant of the run once more, behind all faults. */
async function lookAgain(bench: ChaosBench): Promise<Finding[]> {
  const lines = new Map<string, LedgerLine[]>();
  for await (const page of ledgerPages(bench, { after: 0 })) {
    for (const charge of page) {
      lines.getOrInsertComputed(charge.merchantId, () => []).push(lineOf(charge));
    }
  }
  const findings: Finding[] = [];
  for (const shop of stateOf(bench).shops) {
    findings.push(...(await judgeAgain(bench, shop, lines.get(shop.merchantId) ?? [])));
  }
  return findings;
}

function lineOf({ merchantId: _, status, ...charge }: BookedCharge): LedgerLine {
  return { ...charge, status: status as LedgerLine['status'] };
}
