import { createHash, type Hash } from 'node:crypto';
import type { ChaosBench } from '../chaos-bench.ts';
import type { Finding } from './finding.ts';
import { ledgerPages } from './ledger-view.ts';

/** For each round what our database and the acquirer's ledger say of its payments, as one short text. */
export type Fingerprints = Map<string, string>;

const OF_DATABASE = `select regexp_replace(reference_transaction, '[.][0-9]+$', '') as round,
    md5(string_agg(md5(concat_ws('|', transaction_id, state, amount, canceled_amount, nsu, authorization_code, split, fence,
      (select string_agg(concat_ws(',', i.installment_number, i.amount, i.canceled_amount, i.state), ';'
         order by i.installment_number)
       from installments i where i.merchant_id = t.merchant_id and i.transaction_id = t.transaction_id),
      (select string_agg(concat_ws(',', s.installment_number, s.position, s.amount, s.canceled_amount), ';'
         order by s.installment_number, s.position)
       from shares s where s.merchant_id = t.merchant_id and s.transaction_id = t.transaction_id),
      (select string_agg(concat_ws(',', c.cancel_id, c.amount, c.state), ';' order by c.cancel_id)
       from cancels c where c.merchant_id = t.merchant_id and c.transaction_id = t.transaction_id))), ''
      order by transaction_id)) as print
  from transactions t where starts_with(reference_transaction, $1) group by 1`;

/**
 * Of the rounds that begin so. What was compared once is forgotten, so that a run of any length takes the
 * same memory; its fingerprint shows at the end whether a later fault has changed it. `after`: where the
 * ledger's part begins.
 */
export async function fingerprintsOf(
  bench: ChaosBench,
  rounds: string,
  after: number,
): Promise<Fingerprints> {
  const prints: Fingerprints = new Map();
  for (const { round, print } of await bench.query(OF_DATABASE, [rounds])) {
    prints.set(`our database, ${round}`, print as string);
  }
  const hashes = new Map<string, Hash>();
  for await (const page of ledgerPages(bench, { after })) {
    for (const charge of page) {
      if (!charge.reference.startsWith(rounds)) continue;
      const round = charge.reference.replace(/\.\d+$/, '');
      hashes.getOrInsertComputed(round, () => createHash('sha256')).update(JSON.stringify(charge));
    }
  }
  for (const [round, hash] of hashes) prints.set(`the ledger, ${round}`, hash.digest('hex'));
  return prints;
}

/** What is not as it was when it was compared. */
export function changesSince(before: Fingerprints, now: Fingerprints): Finding[] {
  const places = new Set([...before.keys(), ...now.keys()]);
  return [...places]
    .filter((place) => before.get(place) !== now.get(place))
    .map((place) => ({
      invariant: 'what was compared stays as it was',
      reference: place,
      text: before.has(place) ? 'changed afterwards' : 'came afterwards',
    }));
}
