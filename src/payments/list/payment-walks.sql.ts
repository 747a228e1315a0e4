import type { Reader, Row } from '../../platform/postgres/database.ts';
import { column, rowCodec } from '../../platform/postgres/row-codec.ts';
import type { Transaction } from '../../transactions/transaction.ts';
import { DECIDED, parseOwn, UNDER_WAY } from '../../transactions/transaction-queries.sql.ts';
import type { ListedPayment } from '../payment.ts';
import {
  BOLETO_KEY,
  BOLETO_RANGES,
  CARD_KEY,
  CARD_RANGES,
  DECIDED_OF_STATES,
  daysOf,
  hasRanges,
  IS_PARTLY_RETURNED,
  IS_SHOWN_AS,
  PARTLY_RETURNED_PIX,
  PIX_KEY,
  PIX_RANGES,
  parseShown,
  SHOWN_COLUMNS,
  SHOWN_ROWS,
  statesOf,
  WAS_ASKED,
} from './found-payments.sql.ts';
import type { PaymentWalk, WantedPayments } from './payment-search.ts';
import { type Walk, walkBothWays } from './walk-both-ways.sql.ts';

type Place = {
  /** In PostgreSQL's text, so that it is exact, whatever wrote the row. */
  readonly soldAtText: string;
  readonly paymentId: string;
};

/** Without shares: a page of sales may have millions. */
export type WalkedPayment = ListedPayment<Omit<Transaction, 'shares'>> & { readonly place: Place };

const FIRST_ID = '00000000-0000-0000-0000-000000000000';

const PLACE = rowCodec({
  soldAtText: column.text('g.sold_at::text'),
  paymentId: column.text('g.payment_id'),
});

const SHOWN = `select ${PLACE.columns}, ${SHOWN_COLUMNS} from page g ${SHOWN_ROWS}`;

const OTHERS = `${PIX_RANGES} and {pix} {order}) o)
       union all ${BOLETO_RANGES} and {boleto} {order}) o)`;
const CARDS = `select ${CARD_KEY} from transactions where merchant_id = $1`;
const OF_DAYS = `${CARDS} and {card} and state = any ($6::text[]) and installments_state = any ($7::text[])`;
const OF_CARD = 'card_last_four = $11';

const BY_DAY = walkBothWays({
  name: 'payments.walk_by_day',
  keys: `(${OF_DAYS} and ${DECIDED_OF_STATES} {order}) union all (${OF_DAYS} and ${UNDER_WAY} {order})
       union all ${OTHERS}`,
  shown: SHOWN,
});

const OF_LAST_FOUR = walkBothWays({
  name: 'payments.walk_of_last_four',
  keys: `(${OF_DAYS} and ${OF_CARD} and ${DECIDED_OF_STATES} {order})
       union all (${OF_DAYS} and ${OF_CARD} and ${UNDER_WAY} {order})
       union all ${OTHERS}`,
  shown: SHOWN,
});

const OF_STATUS = walkBothWays({
  name: 'payments.walk_of_status',
  keys: `${CARD_RANGES} and {card} {order}) o) union all ${OTHERS}`,
  shown: SHOWN,
});

const PARTLY_RETURNED = walkBothWays({
  name: 'payments.walk_partly_returned',
  keys: `(${OF_DAYS} and ${IS_PARTLY_RETURNED} {order})
       union all (${PARTLY_RETURNED_PIX} and {pix} limit 1) p {order})`,
  shown: SHOWN,
});

/** Uses the indexes of references: `coalesce` rules out one by day, which needs the bare column. */
const CARDS_OF_REFERENCE = `${CARDS} and reference_transaction = $12 and ($11::text is null or card_last_four = $11)
       and state = any ($6::text[]) and coalesce(installments_state, '') = any ($7::text[])`;

const OF_REFERENCE = walkBothWays({
  name: 'payments.walk_of_reference',
  keys: `(${CARDS_OF_REFERENCE} and ${DECIDED} and {card} {order})
       union all (${CARDS_OF_REFERENCE} and ${UNDER_WAY} and {card} {order})
       union all (select ${PIX_KEY} from pix_charges
         where merchant_id = $1 and reference_transaction = $12 and state = any ($8::text[]) and ${WAS_ASKED}
         and {pix} {order})
       union all (select ${BOLETO_KEY} from boletos
         where merchant_id = $1 and reference_transaction = $12 and state = any ($9::text[])
         and ${WAS_ASKED} and ${IS_SHOWN_AS} and {boleto} {order})`,
  shown: SHOWN,
});

/** `after` null: from the beginning. No row comes twice, however many are written meanwhile. */
export async function walkPayments(
  database: Reader,
  merchantId: string,
  wanted: WantedPayments & { readonly walk: PaymentWalk },
  after: Place | null,
  limit: number,
): Promise<WalkedPayment[]> {
  const [statements, values] = walkOf(wanted, after);
  const walked = wanted.order.isDescending ? statements.falling : statements.rising;
  return (await database.query(walked, [merchantId, limit, ...values])).map(parseWalked);
}

/** How many values a walk through what was given back in part has: `$3` to `$8`. */
const PARTLY_VALUES = 6;

/**
 * The statement and its values `$3` to `$12`, as many as it uses. A walk begins at FIRST_ID, which is below
 * every id: so sales at the start of the days are in it, those at their end are not.
 */
function walkOf(
  wanted: WantedPayments & { readonly walk: PaymentWalk },
  after: Place | null,
): readonly [Walk, readonly unknown[]] {
  const [from, before] = daysOf(wanted);
  const { lastFour, order } = wanted;
  const days = order.isDescending ? [from, after?.soldAtText ?? before] : [after?.soldAtText ?? from, before];
  const values = [after?.paymentId ?? FIRST_ID, ...days, ...statesOf(wanted)];
  if (wanted.walk === 'ofReference')
    return [OF_REFERENCE, [...values, lastFour, wanted.referenceTransaction]];
  if (wanted.walk === 'partlyReturned') return [PARTLY_RETURNED, values.slice(0, PARTLY_VALUES)];
  if (lastFour !== null) return [OF_LAST_FOUR, [...values, lastFour]];
  return [hasRanges(wanted) ? OF_STATUS : BY_DAY, values];
}

function parseWalked(row: Row): WalkedPayment {
  return { ...parseShown<Omit<Transaction, 'shares'>>(row, parseOwn), place: PLACE.parse(row) };
}
