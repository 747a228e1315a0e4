import { type Database, statement } from '../../platform/postgres/database.ts';
import { inputRows } from '../../platform/postgres/input-rows.ts';
import { column, onlyOf, rowCodec } from '../../platform/postgres/row-codec.ts';
import { PIX_STATES, type PixKey, type PixState } from '../../transactions/methods/pix/pix.ts';
import type { Instant } from '../../values/instant.ts';

/** A refund that the bank has, under an id of our form. */
export type RefundAtBank = { readonly txid: string; readonly refundId: string };

const REFUNDS = inputRows<RefundAtBank>(
  {
    txid: ['text', ({ txid }) => txid],
    refund_id: ['uuid', ({ refundId }) => refundId],
  },
  { after: 1 },
);

const MISSING = rowCodec({
  merchantId: column.text('p.merchant_id'),
  pixId: column.text('p.pix_id'),
  refundId: column.text("replace(i.refund_id::text, '-', '')"),
});

const FIND_MISSING = statement(
  'restored_pix.find_missing_refunds',
  `select ${MISSING.columns}
   from ${REFUNDS.sql} join pix_charges p on p.txid = i.txid and p.bank = $1
   left join pix_refunds f on f.merchant_id = p.merchant_id and f.refund_id = i.refund_id
   where f.refund_id is null`,
);

/** Refunds that the books lack, of charges that they have at this bank; by the refund's id at the bank. */
export async function findMissingRefunds(
  database: Database,
  bank: string,
  refunds: readonly RefundAtBank[],
): Promise<ReadonlyMap<string, PixKey>> {
  const rows = await database.query(FIND_MISSING, [bank, ...REFUNDS.values(refunds)]);
  return new Map(rows.map(MISSING.parse).map(({ refundId, ...key }) => [refundId, key]));
}

const KNOWN = rowCodec({
  txid: column.text('i.txid'),
  merchantId: column.nullable(column.text('p.merchant_id')),
  pixId: column.nullable(column.text('p.pix_id')),
  state: column.nullable(column.oneOf(PIX_STATES, 'p.state')),
});

/** The first charge of an authorization is in no other table until it is paid. */
const FIND_KNOWN = statement(
  'restored_pix.find_known',
  `select ${KNOWN.columns}
   from unnest($2::text[]) i (txid)
   left join pix_charges p on p.txid = i.txid and p.bank = $1
   where p.pix_id is not null or exists (select from pix_collections c where c.txid = i.txid)`,
);

export type KnownPix = { readonly charge: (PixKey & { readonly state: PixState }) | null };

/** By txid. `charge` is null for a Pix Automático charge that is not paid. */
export async function findKnownPix(
  database: Database,
  bank: string,
  txids: readonly string[],
): Promise<ReadonlyMap<string, KnownPix>> {
  const rows = (await database.query(FIND_KNOWN, [bank, txids])).map(KNOWN.parse);
  return new Map(
    rows.map(({ txid, merchantId, pixId, state }) => [
      txid,
      {
        charge: merchantId === null || pixId === null || state === null ? null : { merchantId, pixId, state },
      },
    ]),
  );
}

const EARLIEST = rowCodec({ requestedAt: column.nullable(column.instant('min(p.requested_at)')) });

const EARLIEST_WAITING = statement(
  'restored_pix.earliest_waiting',
  `select ${EARLIEST.columns} from pix_charges p where p.bank = $1 and p.state = 'waiting'`,
);

/** null: none waits. */
export async function earliestWaitingPix(database: Database, bank: string): Promise<Instant | null> {
  return onlyOf(await database.query(EARLIEST_WAITING, [bank]), EARLIEST.parse).requestedAt;
}
