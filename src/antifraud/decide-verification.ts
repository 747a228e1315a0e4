import type { Keyring } from '../keys/open-keyring.ts';
import type { Database, Tx } from '../platform/postgres/database.ts';
import { Overloaded } from '../platform/work/overloaded.ts';
import type { VelocityDecider } from './adapters/velocity/velocity-decider.ts';
import { type Decision, NO_FINGERPRINTS } from './anti-fraud.ts';
import type { DecideTools } from './decide-sale.ts';
import { type CountedSale, cardFingerprints } from './fingerprints.ts';
import {
  type DeclinedTry,
  declineVerification,
  eraseVerification,
  writeVerification,
} from './velocity-events.sql.ts';

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

/** A card that is to be verified, under its future id. */
type IntendedVerification = {
  readonly merchantId: string;
  readonly verificationId: string;
  readonly number: string;
};

export type DecideVerification = (wanted: IntendedVerification) => Promise<CountedVerification | null>;

/** A verification of a card that may be made, and is on record as a try. */
export type CountedVerification = {
  /** Counts its decline, in the commit that records that. */
  readonly declined: (tx: Tx, decline: DeclinedTry) => Promise<void>;
  /** Takes the try back: the acquirer was not asked. */
  readonly forget: () => Promise<void>;
};

/**
 * Decides whether a card may be verified, as a sale with it would be decided, and counts the try
 * before the acquirer is asked. Decided twice: what is refused at once costs no write; and once
 * more when the try is on record beside all concurrent ones, so that no more pass than a rule
 * allows. A verdict of review does not count: nothing is sold that could be reviewed. Null:
 * rejected.
 */
export async function decideVerification(
  tools: DecideVerificationTools,
  { merchantId, verificationId, number }: IntendedVerification,
): Promise<CountedVerification | null> {
  const { database, keyring, velocity } = tools;
  const sale: CountedSale = {
    merchantId,
    session: NO_FINGERPRINTS,
    isCardStored: false,
    isVerification: true,
    card: { fingerprints: cardFingerprints(keyring, merchantId, number) },
    buyer: { documentNumber: null, ipAddress: null },
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
