import type { ChangeEvent } from '../../acquirers/acquirer.ts';
import { statement, type Tx } from '../../platform/postgres/database.ts';
import { inputRows } from '../../platform/postgres/input-rows.ts';
import type { Day, Instant } from '../../values/instant.ts';
import { utcText } from '../../values/instant.ts';

/** What a file of the acquirer says of an installment, on its way through the table of states. */
export type FiledChange = {
  readonly merchantId: string;
  /** Of the file and its line. */
  readonly changeId: string;
  readonly reference: string;
  readonly installmentNumber: number;
  readonly event: Extract<ChangeEvent, 'settle' | 'chargeback'>;
  readonly happenedAt: Instant;
  /** Cents that a chargeback took back; null: of a payout. */
  readonly amount: number | null;
  readonly fee: number | null;
  readonly net: number | null;
  readonly bankOn: Day | null;
};

const CHANGES = inputRows<FiledChange>(
  {
    merchant_id: ['text', (change) => change.merchantId],
    change_id: ['text', (change) => change.changeId],
    reference: ['text', (change) => change.reference],
    installment_number: ['smallint', (change) => change.installmentNumber],
    event: ['text', (change) => change.event],
    happened_at: ['timestamptz', (change) => utcText(change.happenedAt)],
    amount: ['bigint', (change) => change.amount],
    fee: ['bigint', (change) => change.fee],
    net: ['bigint', (change) => change.net],
    bank_on: ['date', (change) => change.bankOn],
  },
  { place: 'place' },
);

const KEEP = statement(
  'changes.keep_filed',
  `insert into acquirer_changes (${CHANGES.names}, source)
   select ${CHANGES.selected}, 'file'
   from ${CHANGES.sql}
   where i.event <> 'chargeback' or not exists (
     select from acquirer_changes e
     where e.merchant_id = i.merchant_id and e.reference = i.reference and e.installment_number = i.installment_number
       and e.event = 'chargeback' and e.state <> 'refused' and e.source = 'feed'
       and coalesce(e.amount, i.amount) = i.amount
   )
   order by i.place
   on conflict do nothing
   returning change_id`,
);

/**
 * Keeps what a file says beside what the acquirer reports by itself, within a commit of the caller's:
 * the work behind it applies or refuses each as any other. A change that is there already was filed
 * before. A chargeback that the feed has reported is left out; one that the feed reports later is
 * refused then (`takenAlready`).
 */
export async function keepFiledChanges(tx: Tx, changes: readonly FiledChange[]): Promise<void> {
  if (changes.length > 0) await tx.query(KEEP, CHANGES.values(changes));
}
