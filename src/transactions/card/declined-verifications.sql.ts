import { type Database, statement, type Tx } from '../../platform/postgres/database.ts';
import type { CardBrand } from '../../values/card-number.ts';
import { type Instant, utcText } from '../../values/instant.ts';

/** What the networks' limits count of a declined verification. */
export type DeclinedVerification = {
  readonly merchantId: string;
  readonly verificationId: string;
  readonly cardFingerprint: Buffer;
  readonly brand: CardBrand;
  readonly responseCode: string;
  readonly adviceCode: string | null;
  /** Business time. */
  readonly askedAt: Instant;
};

const RECORD = statement(
  'transactions.record_declined_verification',
  `insert into declined_verifications (merchant_id, verification_id, card_fingerprint, card_brand, response_code,
     advice_code, asked_at)
   values ($1, $2, $3, $4, $5, $6, $7::timestamptz) on conflict do nothing`,
);

export async function recordDecline(tx: Tx, declined: DeclinedVerification): Promise<void> {
  const { merchantId, verificationId, cardFingerprint, brand, responseCode, adviceCode, askedAt } = declined;
  const values = [merchantId, verificationId, cardFingerprint, brand, responseCode, adviceCode];
  await tx.query(RECORD, [...values, utcText(askedAt)]);
}

const FORGET = statement(
  'transactions.forget_declined_verifications',
  `delete from declined_verifications where (merchant_id, verification_id) in
     (select merchant_id, verification_id from declined_verifications where expires_at < now()
      order by expires_at limit $1 for update skip locked)
   returning 1`,
);

/** Deletes up to `limit` of those that no network remembers; returns how many. */
export async function deleteForgottenDeclines(database: Database, limit: number): Promise<number> {
  return (await database.query(FORGET, [limit])).length;
}
