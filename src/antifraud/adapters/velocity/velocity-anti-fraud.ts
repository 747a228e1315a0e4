import type { Keyring } from '../../../keys/open-keyring.ts';
import type { Looked } from '../../../platform/postgres/gathered-reads.ts';
import type { AntiFraud } from '../../anti-fraud.ts';
import type { CountsKey, SaleCounts, SubjectPrint } from '../../attempts.sql.ts';
import { attemptOf, type SalePrints, salePrints } from '../../prints.ts';
import { type Subject, type VelocityRule, velocityDecision } from '../../velocity.ts';

export type VelocityTools = {
  readonly keyring: Pick<Keyring, 'recentFingerprints'>;
  readonly findCounts: (key: CountsKey) => Promise<Looked<SaleCounts>>;
};

/**
 * The decider that comes with the gateway: counts of what is on record. Without rules it asks nothing, writes nothing and
 * accepts everything. Throws `Overloaded` when too many sales wait to be counted.
 */
export function velocityAntiFraud(tools: VelocityTools, rules: readonly VelocityRule[]): AntiFraud {
  const subjects = [...new Set(rules.map(({ subject }) => subject))];
  return {
    async decide(sale) {
      const { merchantId } = sale;
      const prints = printsToCount(subjects, salePrints(tools.keyring, sale));
      if (prints.length === 0) return { verdict: 'accept', reasons: [] };
      const { value } = await tools.findCounts({ merchantId, prints });
      if (value === null) throw new Error('the attempts were not counted');
      return velocityDecision(rules, value);
    },
    attemptOf: (sale) => (rules.length === 0 ? null : attemptOf(salePrints(tools.keyring, sale))),
  };
}

function printsToCount(subjects: readonly Subject[], prints: SalePrints): SubjectPrint[] {
  return subjects.flatMap((subject): SubjectPrint[] =>
    subject === 'merchant'
      ? [{ subject, print: null }]
      : prints[subject].map((print) => ({ subject, print })),
  );
}
