import type { Keyring } from '../keys/open-keyring.ts';
import type { Database, Tx } from '../platform/postgres/database.ts';
import { Overloaded } from '../platform/work/fair-line.ts';
import type { VelocityDecider } from './adapters/velocity/velocity-decider.ts';
import {
  type AskedDecision,
  type Decider,
  type Decision,
  endsChain,
  joinDecisions,
  NO_FINGERPRINTS,
  type Sale,
  triggeredDecision,
  type VelocityEvent,
  type Verdict,
} from './anti-fraud.ts';
import { type CountedSale, cardFingerprints } from './fingerprints.ts';
import {
  type DeclinedTry,
  declineVerification,
  eraseVerification,
  writeVerification,
} from './velocity-events.sql.ts';

export type DecideTools = {
  /** In the order in which they are asked. */
  readonly deciders: readonly Decider[];
  /** What the velocity rules count of a sale, whatever decided it; null: nothing. */
  readonly velocityEventOf: (sale: Sale) => VelocityEvent | null;
  /** True in homologation: there some e-mail addresses of the buyer (`TRIGGERS`) decide by themselves. */
  readonly takesTriggers: boolean;
  /** The verdict on a sale when a decider fails or does not answer in time. */
  readonly verdictWhenSilent: Verdict;
  readonly observeDecision: (merchantId: string, decision: Decision) => void;
  readonly warnOfSilence: (decider: string, error: unknown) => void;
};

export type DecidedSale = AskedDecision & {
  /** Written in the commit of the intent; null: the velocity rules count nothing of this sale. */
  readonly attempt: VelocityEvent | null;
};

/**
 * Decides a sale before its intent is written and before the acquirer is asked. A rejected sale is not
 * counted, so further tries cost no write. Throws `Overloaded` if we ourselves have too much to do: if this
 * counted as a decider's silence, sales of a burst would be decided without it. `deadlineAt` is on the
 * monotonic clock.
 */
export async function decideSale(tools: DecideTools, sale: Sale, deadlineAt: number): Promise<DecidedSale> {
  const triggered = tools.takesTriggers ? triggeredDecision(sale.buyer.email) : null;
  const decision =
    triggered === null ? await askDeciders(tools, sale, deadlineAt) : { ...triggered, provider: null };
  tools.observeDecision(sale.merchantId, decision);
  return {
    ...decision,
    attempt: decision.verdict === 'reject' ? null : tools.velocityEventOf(sale),
  };
}

/** Asks one after the other, so that a provider is neither asked nor paid for what the rules reject. */
async function askDeciders(tools: DecideTools, sale: Sale, deadlineAt: number): Promise<AskedDecision> {
  const decisions: AskedDecision[] = [];
  for (const decider of tools.deciders) {
    if (decider.isConcerned?.(sale) === false) continue;
    const decision = await decisionInTime(tools, decider, sale, deadlineAt);
    decisions.push(decision);
    if (endsChain(decision)) break;
  }
  const provider = decisions.find((one) => one.provider !== null)?.provider ?? null;
  return { ...joinDecisions(decisions), provider };
}

/** An unreachable decider must neither stop the sales nor let them pass unseen: its silence has a verdict. */
async function decisionInTime(
  tools: DecideTools,
  decider: Decider,
  sale: Sale,
  deadlineAt: number,
): Promise<AskedDecision> {
  const provider = decider.providerOf?.(sale) ?? null;
  const milliseconds = Math.min(decider.timeoutMilliseconds, deadlineAt - performance.now());
  const stopping = new AbortController();
  const silence = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => {
      const late = new Error('the anti-fraud decision did not come in time');
      // Rejected before the abort, so that an answer caused by the abort comes too late.
      silence.reject(late);
      stopping.abort(late);
    },
    Math.max(0, milliseconds),
  );
  try {
    const decision = await Promise.race([decider.decide(sale, stopping.signal), silence.promise]);
    return { ...decision, provider };
  } catch (error) {
    if (error instanceof Overloaded) throw error;
    tools.warnOfSilence(decider.name, error);
    return { verdict: tools.verdictWhenSilent, reasons: [decider.silentReason], provider };
  } finally {
    clearTimeout(timer);
  }
}

export type DecideVerificationTools = Pick<
  DecideTools,
  'observeDecision' | 'warnOfSilence' | 'verdictWhenSilent'
> & {
  readonly database: Database;
  readonly keyring: Pick<Keyring, 'recentFingerprints'>;
  readonly velocity: Pick<
    VelocityDecider,
    'name' | 'silentReason' | 'decide' | 'decideAgain' | 'velocityEventOf'
  >;
};

/** `verificationId`: the id that the stored card will get. */
type IntendedVerification = {
  readonly merchantId: string;
  readonly verificationId: string;
  readonly number: string;
  /** The address of the person who typed the card; null: not known. */
  readonly ipAddress: string | null;
};

export type DecideVerification = (wanted: IntendedVerification) => Promise<CountedVerification | null>;

export type CountedVerification = {
  /** Counts the issuer's decline, in the database transaction that records it. */
  readonly declined: (tx: Tx, decline: DeclinedTry) => Promise<void>;
  /** Deletes the counted try. For when the acquirer was not asked after all. */
  readonly forget: () => Promise<void>;
};

/**
 * Decides whether a card may be verified, by the rules for sales, and counts the try before the acquirer is
 * asked. Decides twice: first so that an immediate reject costs no write, and again when the try is on record
 * beside all concurrent ones, so that no more pass than a rule allows. A review verdict is ignored, because
 * no sale exists that could be reviewed. Returns null if rejected.
 */
export async function decideVerification(
  tools: DecideVerificationTools,
  { merchantId, verificationId, number, ipAddress }: IntendedVerification,
): Promise<CountedVerification | null> {
  const { database, keyring, velocity } = tools;
  const sale: CountedSale = {
    merchantId,
    session: NO_FINGERPRINTS,
    isCardStored: false,
    isVerification: true,
    card: { fingerprints: cardFingerprints(keyring, merchantId, number) },
    buyer: { documentNumber: null, ipAddress },
  };
  if (await isRejected(tools, merchantId, () => velocity.decide(sale))) return null;
  const event = velocity.velocityEventOf(sale);
  if (event === null) return { declined: async () => {}, forget: async () => {} };
  const forget = () => eraseVerification(database, merchantId, verificationId);
  await writeVerification(database, { merchantId, verificationId, ...event });
  if (await isRejected(tools, merchantId, () => velocity.decideAgain(sale))) {
    await forget();
    return null;
  }
  return {
    declined: (tx, decline) => declineVerification(tx, merchantId, verificationId, decline),
    forget,
  };
}

async function isRejected(
  { velocity, observeDecision, warnOfSilence, verdictWhenSilent }: DecideVerificationTools,
  merchantId: string,
  decide: () => Promise<Decision>,
): Promise<boolean> {
  const decision = await decide().catch((error): Decision => {
    if (error instanceof Overloaded) throw error;
    warnOfSilence(velocity.name, error);
    return { verdict: verdictWhenSilent, reasons: [velocity.silentReason] };
  });
  if (decision.verdict === 'reject') observeDecision(merchantId, decision);
  return decision.verdict === 'reject';
}
