import { type Database, type Row, statement } from '../../../platform/postgres/database.ts';
import { column, rowCodec } from '../../../platform/postgres/row-codec.ts';
import { IS_AT_NO_BANK } from '../../../providers/banks/remittances/instructions.sql.ts';
import { type Instant, utcText } from '../../../values/instant.ts';
import type { BoletoKey } from './boleto.ts';

/** How far the merchant's clock is ahead. It never goes back, so nothing is due too early. */
const SHIFT = `coalesce((select c.shift_milliseconds from merchant_clocks c where c.merchant_id = $5), 0) * interval '1 millisecond'`;

/**
 * A boleto ends only if the bank that registered it can be asked, or no bank has it. `$1`: name, slash and
 * bank code of each provider.
 */
const OF_KNOWN_BANK = "b.bank || '/' || left(b.bar_code, 3) = any($1::text[])";
const CAN_ACT = `(b.state = 'issued' or ${OF_KNOWN_BANK} or ${IS_AT_NO_BANK})`;
const BEHIND = '(b.acts_at, b.boleto_id) > ($2::timestamptz, $3::uuid)';
const BEFORE_ALL = ['-infinity', '00000000-0000-0000-0000-000000000000'] as const;

export type ActingBoleto = BoletoKey & { readonly actsAt: Instant; readonly isAtNoBank: boolean };

const ACTING = rowCodec<ActingBoleto>(
  {
    merchantId: column.text(),
    boletoId: column.text(),
    actsAt: column.instant(),
    isAtNoBank: column.boolean(IS_AT_NO_BANK),
  },
  'b',
);

const LIST_ACTING = statement(
  'boletos.list_acting',
  `select ${ACTING.columns} from boletos b
   where b.acts_at <= now() and ${BEHIND} and ${CAN_ACT}
   order by b.acts_at, b.boleto_id limit $4`,
);

const LIST_ACTING_OF = statement(
  'boletos.list_acting_of_merchant',
  `select ${ACTING.columns} from boletos b
   where b.merchant_id = $5 and b.acts_at <= now() + ${SHIFT} and ${BEHIND} and ${CAN_ACT}
   order by b.acts_at, b.boleto_id limit $4`,
);

/**
 * Lists boletos that the calendar changes, those behind `last`; null: from the first. `merchantId` null: of
 * all merchants, by real time; else of this one, by its own clock.
 */
export async function listActing(
  database: Database,
  wanted: {
    readonly merchantId: string | null;
    readonly banks: readonly string[];
    readonly last: ActingBoleto | null;
  },
  limit: number,
): Promise<ActingBoleto[]> {
  const { merchantId, banks, last } = wanted;
  const from = last === null ? BEFORE_ALL : [utcText(last.actsAt), last.boletoId];
  const values = [banks, ...from, limit];
  const rows =
    merchantId === null
      ? await database.query(LIST_ACTING, values)
      : await database.query(LIST_ACTING_OF, [...values, merchantId]);
  return rows.map(ACTING.parse);
}

const PUT_OFF = statement(
  'boletos.put_off',
  `update boletos set acts_at = $3::timestamptz
   where merchant_id = $1 and boleto_id = $2 and acts_at < $3::timestamptz
   returning boleto_id`,
);

export async function putOffActing(
  database: Database,
  { merchantId, boletoId }: BoletoKey,
  until: Instant,
): Promise<void> {
  await database.query(PUT_OFF, [merchantId, boletoId, utcText(until)]);
}

const MERCHANT = rowCodec({ merchantId: column.text() }, 'c');

const AHEAD = statement(
  'boletos.merchants_ahead',
  `select ${MERCHANT.columns} from merchant_clocks c
   where c.shift_milliseconds > 0 and c.target_at is null and exists (
     select from boletos b where b.merchant_id = c.merchant_id and ${CAN_ACT}
       and b.acts_at <= now() + c.shift_milliseconds * interval '1 millisecond')
   limit $2`,
);

/** Merchants whose test clock is past the `acts_at` of a boleto. Homologation only. */
export async function findMerchantsActing(
  database: Database,
  banks: readonly string[],
  limit: number,
): Promise<string[]> {
  const rows = await database.query(AHEAD, [banks, limit]);
  return rows.map((row) => MERCHANT.parse(row).merchantId);
}

/** Null if nothing is due, by real time and by clocks that are ahead. */
export const ACTING_DUE = statement(
  'boletos.acting_due',
  `select case when exists (select from boletos b where b.acts_at <= now() and ${CAN_ACT})
     or exists (
       select from merchant_clocks c
       where c.shift_milliseconds > 0 and c.target_at is null and exists (
         select from boletos b where b.merchant_id = c.merchant_id and ${CAN_ACT}
           and b.acts_at <= now() + c.shift_milliseconds * interval '1 millisecond'))
     then 0 end as milliseconds`,
);

const EARLIEST_OF = statement(
  'boletos.earliest_acting_of_merchant',
  `select least(
     (select min(b.acts_at) from boletos b where b.merchant_id = $2 and b.acts_at <= $3::timestamptz and ${CAN_ACT}),
     (select min(b.changed_at) from (
        select * from boletos where due_at is not null order by due_at limit 1000
      ) b where b.merchant_id = $2 and b.is_expiring and ${OF_KNOWN_BANK})) as earliest`,
);

const EARLIEST = rowCodec({ earliest: column.nullable(column.instant()) });

/**
 * The earliest change up to `until`, or null. A boleto whose time is over counts until its bank has ended it,
 * because a jump of the clock waits for that.
 */
export async function earliestActing(
  database: Database,
  merchantId: string,
  banks: readonly string[],
  until: Instant,
): Promise<Instant | null> {
  const [row] = await database.query(EARLIEST_OF, [banks, merchantId, utcText(until)]);
  return EARLIEST.parse(row as Row).earliest;
}
