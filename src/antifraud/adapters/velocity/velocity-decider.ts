import type { Keyring } from '../../../keys/open-keyring.ts';
import type { Looked } from '../../../platform/postgres/batched-reads.ts';
import { type Decider, type Decision, joinDecisions, type VelocityEvent } from '../../anti-fraud.ts';
import {
  areOfOneCard,
  type CardTesting,
  type CardTestingMode,
  ENUMERATION_REASON,
  isEnumeration,
  isSuspicious,
  type TestedByKind,
} from '../../card-testing.ts';
import {
  type CountedSale,
  type SaleFingerprints,
  saleFingerprints,
  velocityEventOf,
} from '../../fingerprints.ts';
import {
  type Counts,
  type Subject,
  type VelocityRule,
  velocityDecision,
  withoutOneTry,
} from '../../velocity.ts';
import type { CountsKey, SaleCounts, SubjectFingerprint } from '../../velocity-events.sql.ts';

export type CardTestingTools = {
  readonly mode: CardTestingMode;
  readonly findTested: (key: { readonly merchantId: string }) => Promise<Looked<TestedByKind>>;
  /** Called whenever tries look like card testing. */
  readonly observe: (merchantId: string, kind: CardTesting) => void;
};

export type VelocityTools = {
  readonly keyring: Pick<Keyring, 'recentFingerprints'>;
  readonly findCounts: (key: CountsKey) => Promise<Looked<SaleCounts>>;
  /** Absent: only the rules apply, and card testing at a whole merchant is not looked for. */
  readonly cardTesting?: CardTestingTools;
};

export type VelocityDecider = Decider & {
  decide(sale: CountedSale): Promise<Decision>;
  /** Decides a try that is on record: of many concurrent tries no more pass than a rule allows. */
  decideAgain(sale: CountedSale): Promise<Decision>;
  /** What is counted of a sale, whatever decided it; null: nothing. */
  velocityEventOf(sale: CountedSale): VelocityEvent | null;
};

/** Without rules it does nothing and accepts everything. Throws `Overloaded` if too many sales wait. */
export function velocityDecider(
  tools: VelocityTools,
  rules: readonly VelocityRule[],
  timeoutMilliseconds: number,
): VelocityDecider {
  const { cardTesting } = tools;
  const watched = rules.length > 0 && cardTesting?.mode !== 'off' ? cardTesting : undefined;
  const subjects = [
    ...new Set([
      ...rules.map(({ subject }) => subject),
      ...(watched === undefined ? [] : (['merchant'] as const)),
    ]),
  ];
  const decide = async (sale: CountedSale, before: (counts: Counts) => Counts): Promise<Decision> => {
    const { merchantId } = sale;
    const prints = fingerprintsToCount(subjects, saleFingerprints(tools.keyring, sale));
    if (prints.length === 0) return { verdict: 'accept', reasons: [] };
    const { value } = await tools.findCounts({ merchantId, prints });
    if (value === null) throw new Error('the attempts were not counted');
    const counts = mapped(value, before);
    const isTested = watched !== undefined && (await isMerchantTested(watched, sale, counts.merchant));
    const decision = velocityDecision(rules, counts);
    if (decision.verdict === 'reject' && areOfOneCard(decision.reasons)) {
      cardTesting?.observe(merchantId, 'codes');
    }
    return isTested ? joinDecisions([decision, TESTED]) : decision;
  };
  return {
    name: 'velocity',
    timeoutMilliseconds,
    silentReason: 'silent',
    isConcerned: () => rules.length > 0,
    decide: (sale) => decide(sale, (counts) => counts),
    decideAgain: (sale) => decide(sale, withoutOneTry),
    velocityEventOf: (sale) =>
      rules.length === 0 ? null : velocityEventOf(sale, saleFingerprints(tools.keyring, sale)),
  };
}

const TESTED: Decision = { verdict: 'reject', reasons: [ENUMERATION_REASON] };

/** A stored card cannot be guessed: subscribers and known buyers can pay while a merchant is stopped. */
async function isMerchantTested(
  { mode, findTested, observe }: CardTestingTools,
  { merchantId, isCardStored, isVerification = false }: CountedSale,
  merchant: Counts | undefined,
): Promise<boolean> {
  if (merchant === undefined || isCardStored) return false;
  // The few verifications would not show among the tries of a busy shop, so they are always looked at.
  if (!isVerification && !isSuspicious(merchant.hour)) return false;
  const { value } = await findTested({ merchantId });
  if (value === null || !isEnumeration(isVerification ? 'verification' : 'sale', value)) return false;
  observe(merchantId, 'cards');
  return mode === 'stop';
}

function mapped(counts: SaleCounts, change: (counts: Counts) => Counts): SaleCounts {
  return Object.fromEntries(Object.entries(counts).map(([subject, own]) => [subject, change(own)]));
}

function fingerprintsToCount(subjects: readonly Subject[], prints: SaleFingerprints): SubjectFingerprint[] {
  return subjects.flatMap((subject): SubjectFingerprint[] =>
    subject === 'merchant'
      ? [{ subject, print: null }]
      : prints[subject].map((print) => ({ subject, print })),
  );
}
