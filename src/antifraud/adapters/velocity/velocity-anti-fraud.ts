import type { Keyring } from '../../../keys/open-keyring.ts';
import type { Looked } from '../../../platform/postgres/gathered-reads.ts';
import type { AntiFraud } from '../../anti-fraud.ts';
import type { CountsKey } from '../../attempts.sql.ts';
import { attemptOf, type SalePrints, salePrints } from '../../prints.ts';
import { addCounts, type Counts, type Subject, type VelocityRule, velocityDecision } from '../../velocity.ts';

export type VelocityTools = {
  readonly keyring: Pick<Keyring, 'fingerprints'>;
  readonly findCounts: (key: CountsKey) => Promise<Looked<Counts>>;
};

/**
 * The decider that comes with the gateway: counts of what is on record. Without rules it asks nothing, writes nothing and
 * accepts everything.
 */
export function velocityAntiFraud(tools: VelocityTools, rules: readonly VelocityRule[]): AntiFraud {
  const subjects = [...new Set(rules.map(({ subject }) => subject))];
  return {
    async decide(sale) {
      if (rules.length === 0) return { verdict: 'accept', reasons: [] };
      const keys = keysOf(subjects, sale.merchantId, salePrints(tools.keyring, sale));
      // Asked in one turn, they go in one statement.
      const found = await Promise.all(keys.map((key) => tools.findCounts(key)));
      const countsOf: Partial<Record<Subject, Counts>> = {};
      for (const [index, { subject }] of keys.entries()) {
        const { value } = found[index] as Looked<Counts>;
        if (value === null) throw new Error(`the attempts of the ${subject} were not counted`);
        const earlier = countsOf[subject];
        countsOf[subject] = earlier === undefined ? value : addCounts(earlier, value);
      }
      return velocityDecision(rules, countsOf);
    },
    attemptOf: (sale) => (rules.length === 0 ? null : attemptOf(salePrints(tools.keyring, sale))),
  };
}

/** One key for each print: what was counted before a rotation of keys stands under the print of then. */
function keysOf(subjects: readonly Subject[], merchantId: string, prints: SalePrints): CountsKey[] {
  return subjects.flatMap((subject): CountsKey[] =>
    subject === 'merchant'
      ? [{ merchantId, subject, print: null }]
      : prints[subject].map((print) => ({ merchantId, subject, print })),
  );
}
