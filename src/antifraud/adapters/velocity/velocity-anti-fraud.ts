import type { Keyring } from '../../../keys/open-keyring.ts';
import type { Looked } from '../../../platform/postgres/batched-reads.ts';
import type { AntiFraud } from '../../anti-fraud.ts';
import type { DecideTools } from '../../decide-sale.ts';
import { type SaleFingerprints, saleFingerprints, velocityEventOf } from '../../fingerprints.ts';
import { type Subject, type VelocityRule, velocityDecision } from '../../velocity.ts';
import type { CountsKey, SaleCounts, SubjectFingerprint } from '../../velocity-events.sql.ts';

export type VelocityTools = {
  readonly keyring: Pick<Keyring, 'recentFingerprints'>;
  readonly findCounts: (key: CountsKey) => Promise<Looked<SaleCounts>>;
};

/**
 * The decider that comes with the gateway: counts of what is on record. Without rules it asks nothing, writes nothing and
 * accepts everything. Throws `Overloaded` when too many sales wait to be counted.
 */
export function velocityAntiFraud(
  tools: VelocityTools,
  rules: readonly VelocityRule[],
): AntiFraud & Pick<DecideTools, 'velocityEventOf'> {
  const subjects = [...new Set(rules.map(({ subject }) => subject))];
  return {
    async decide(sale) {
      const { merchantId } = sale;
      const prints = fingerprintsToCount(subjects, saleFingerprints(tools.keyring, sale));
      if (prints.length === 0) return { verdict: 'accept', reasons: [] };
      const { value } = await tools.findCounts({ merchantId, prints });
      if (value === null) throw new Error('the attempts were not counted');
      return velocityDecision(rules, value);
    },
    velocityEventOf: (sale) =>
      rules.length === 0 ? null : velocityEventOf(saleFingerprints(tools.keyring, sale)),
  };
}

function fingerprintsToCount(subjects: readonly Subject[], prints: SaleFingerprints): SubjectFingerprint[] {
  return subjects.flatMap((subject): SubjectFingerprint[] =>
    subject === 'merchant'
      ? [{ subject, print: null }]
      : prints[subject].map((print) => ({ subject, print })),
  );
}
