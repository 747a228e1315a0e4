import {
  type Database,
  type Reader,
  type Row,
  type Statement,
  statement,
} from '../../platform/postgres/database.ts';
import { column, firstOf, type RowOf, rowCodec } from '../../platform/postgres/row-codec.ts';
import { type Day, type Instant, utcText } from '../../values/instant.ts';
import type { ChargeWindow } from './day-window.ts';
import { HOUR, OF_NOW, PLACES_OF_CLOCKS, PLACES_OF_PAGE, RESTED, TODAY, TURN } from './due-places.sql.ts';

export const DUE = rowCodec(
  {
    merchantId: column.text(),
    billingId: column.text(),
    subscriptionId: column.text(),
    planId: column.text('s.plan_id'),
    /** Empty: paid by Pix Automático. */
    vaultId: column.text("coalesce(s.vault_id::text, '')"),
    installment: column.whole(),
    dueOn: column.day(),
    accountNumber: column.text('s.account_number'),
    amount: column.money(),
    fence: column.whole(),
    /** Scheduled charges only. */
    chargesMade: column.whole(),
    maxRetries: column.whole('s.max_retries'),
    /** May be `ENDLESS`. */
    installments: column.whole('s.installments'),
    /** The plan's text on card statements, otherwise the merchant's; null: neither has one. */
    softDescriptor: column.nullable(column.text('d.soft_descriptor')),
    chargeOn: column.day(),
  },
  'f',
);

/** A billing as it was found. The commit that takes it checks that it is unchanged. */
export type DueBilling = RowOf<typeof DUE>;

export type DuePlace = { readonly day: Day; readonly merchantId: string };

export const FIRST_DUE_PLACE: DuePlace = { day: '0001-01-01' as Day, merchantId: '' };

const PLACES_A_PAGE = 100;
/** Merchants with a moved clock per statement; each of their days is searched. Homologation only. */
const MOVED_A_PAGE = 100;

/**
 * Due billings at `places` (charge_on, merchant_id, position, turns): first charges, then turns from `$4` on,
 * then the others, so that processes seldom collide. `$3`: billings already in hand here. `$5`: the limit.
 */
const FOUND_AT_PLACES = `found as (
     select d.*, p.position, row_number() over (partition by p.position) as rank
     from places p cross join lateral (
       select * from (
         (select b.* from billings b where b.charge_on = p.charge_on and b.merchant_id = p.merchant_id
            and ${TURN} = -1 and p.turns >= -1 and b.transaction_id is null and ${RESTED}
              and b.billing_id <> all ($3::uuid[]) limit $5)
         union all
         (select b.* from billings b where b.charge_on = p.charge_on and b.merchant_id = p.merchant_id
            and ${TURN} >= $4::integer and ${TURN} <= p.turns and b.transaction_id is null
            and ${RESTED} and b.billing_id <> all ($3::uuid[]) order by ${TURN} limit $5)
         union all
         (select b.* from billings b where b.charge_on = p.charge_on and b.merchant_id = p.merchant_id
            and ${TURN} >= 0 and ${TURN} < least($4::integer, p.turns + 1) and b.transaction_id is null
            and ${RESTED} and b.billing_id <> all ($3::uuid[]) order by ${TURN} limit $5)
       ) one limit greatest(4, $5 / (select count(*) from places))
     ) d
   )`;

/** For a subscription `s`; the caller adds which merchant `m` is. */
export const SOFT_DESCRIPTOR_OF_PLAN = `select coalesce(p.soft_descriptor, m.soft_descriptor) as soft_descriptor
       from merchants m left join plans p on p.merchant_id = m.merchant_id and p.plan_id = s.plan_id`;

/** The found billings of active subscriptions that are not about to end with their plan. */
const FOUND = `left join lateral (
     select ${DUE.columns}
     from found f cross join lateral (
       select c.plan_id, c.vault_id, c.account_number, c.max_retries, c.installments, c.state, c.state_since
         from subscriptions c
       where c.merchant_id = f.merchant_id and c.subscription_id = f.subscription_id limit 1
     ) s left join lateral (
       select c.asked_at from plan_cancellations c
       where c.merchant_id = f.merchant_id and c.plan_id = s.plan_id limit 1
     ) e on true left join lateral (
       ${SOFT_DESCRIPTOR_OF_PLAN}
       where m.merchant_id = f.merchant_id limit 1
     ) d on true
     where s.state = 'active' and (e.asked_at is null or e.asked_at < s.state_since) order by f.charge_on,
       f.rank, f.position limit $5
   ) x on true`;

const REACHED = rowCodec(
  {
    lastDay: column.nullable(column.day()),
    lastMerchantId: column.nullable(column.text()),
    lookedAt: column.whole(),
  },
  'z',
);

/**
 * Looks at the next `$6` places (a day and a merchant) after `$7`, `$8`, by real time. Skips merchants whose
 * billings are held or whose clock was moved.
 */
const FIND_DUE = statement(
  'charging.find_due',
  `with recursive ${HOUR}, page as (
     select * from (
       select b.charge_on, b.merchant_id, 1 as position from billings b
       where (b.charge_on, b.merchant_id) > ($7::date, $8::text)
         and b.charge_on <= (select today from hour)
       order by b.charge_on, b.merchant_id limit 1) f
     union all
     select n.charge_on, n.merchant_id, p.position + 1 from page p, lateral (
       select b.charge_on, b.merchant_id from billings b
       where (b.charge_on, b.merchant_id) > (p.charge_on, p.merchant_id)
         and b.charge_on <= (select today from hour)
       order by b.charge_on, b.merchant_id limit 1) n
     where p.position < $6
   ), ${PLACES_OF_PAGE}, ${FOUND_AT_PLACES}
   select ${REACHED.columns}, x.*
   from (
     select position as looked_at, charge_on as last_day, merchant_id as last_merchant_id
     from places order by position desc limit 1
   ) z ${FOUND}`,
);

const LAST_CLOCK = `(
     select count(*)::integer as looked_at, null as last_day, max(merchant_id) as last_merchant_id from clocks
   ) z`;

/** Looks at the next `$6` merchants after `$7` whose clock was moved and is not in a jump. */
const FIND_DUE_OF_MOVED = statement(
  'charging.find_due_of_moved',
  `with clocks as materialized (
     select n.merchant_id, ${TODAY} from (
       select m.merchant_id, now() + m.shift_milliseconds * interval '1 millisecond' as business_now
         from merchant_clocks m
       where m.merchant_id > $7::text and m.shift_milliseconds > 0 and m.target_at is null
       order by m.merchant_id limit $6
     ) n ${OF_NOW}
   ), ${PLACES_OF_CLOCKS}, ${FOUND_AT_PLACES}
   select ${REACHED.columns}, x.* from ${LAST_CLOCK} ${FOUND}`,
);

/** For a jump of the test clock: merchant `$6`, by its clock. */
const FIND_DUE_OF = statement(
  'charging.find_due_of_merchant',
  `with clocks as materialized (
     select n.merchant_id, ${TODAY} from (
       select i.merchant_id,
         now() + coalesce(c.shift_milliseconds, 0) * interval '1 millisecond' as business_now
       from (select $6::text as merchant_id) i left join lateral (
         select m.shift_milliseconds from merchant_clocks m where m.merchant_id = i.merchant_id limit 1
       ) c on true
     ) n ${OF_NOW}
   ), ${PLACES_OF_CLOCKS}, ${FOUND_AT_PLACES}
   select ${REACHED.columns}, x.* from ${LAST_CLOCK} ${FOUND}`,
);

export type DueRequest = {
  readonly window: ChargeWindow;
  readonly inHand: readonly string[];
  /** A turn from 0 to `TURNS`. */
  readonly fromTurn: number;
  readonly limit: number;
};

export type DuePage = {
  readonly billings: readonly DueBilling[];
  /** null: nothing is due after it. */
  readonly next: DuePlace | null;
};

/** Finds the next due billings in real time, oldest day first, a few of each merchant. Only reads. */
export async function findDueBillings(
  database: Database,
  request: DueRequest,
  after: DuePlace,
): Promise<DuePage> {
  const rows = await find(database, FIND_DUE, request, [PLACES_A_PAGE, after.day, after.merchantId]);
  const { lastDay = null, lastMerchantId = null } = reachedIn(rows, PLACES_A_PAGE) ?? {};
  const next =
    lastDay === null || lastMerchantId === null ? null : { day: lastDay, merchantId: lastMerchantId };
  return { billings: parseFound(rows), next };
}

/**
 * Finds due billings of a page of merchants with a moved clock that is not in a jump. `next`: null at the
 * end.
 */
export async function findDueOfMoved(
  database: Database,
  request: DueRequest,
  afterMerchantId: string,
): Promise<{ readonly billings: readonly DueBilling[]; readonly next: string | null }> {
  const rows = await find(database, FIND_DUE_OF_MOVED, request, [MOVED_A_PAGE, afterMerchantId]);
  return { billings: parseFound(rows), next: reachedIn(rows, MOVED_A_PAGE)?.lastMerchantId ?? null };
}

/** Finds due billings of a merchant by its clock, oldest days first. */
export async function findDueOf(
  database: Database,
  request: DueRequest,
  merchantId: string,
): Promise<readonly DueBilling[]> {
  return parseFound(await find(database, FIND_DUE_OF, request, [merchantId]));
}

function find(
  database: Database,
  wanted: Statement,
  { window, inHand, fromTurn, limit }: DueRequest,
  place: readonly unknown[],
): Promise<Row[]> {
  const { startSeconds, endSeconds } = window;
  return database.query(wanted, [startSeconds, endSeconds, [...inHand], fromTurn, limit, ...place]);
}

function reachedIn([first]: readonly Row[], page: number): RowOf<typeof REACHED> | null {
  const reached = first === undefined ? null : REACHED.parse(first);
  return reached === null || reached.lookedAt < page ? null : reached;
}

function parseFound(rows: readonly Row[]): DueBilling[] {
  return rows.filter((row) => row.billing_id !== null).map(DUE.parse);
}

const DAY_AND_TURN = rowCodec({ day: column.day('d.charge_on'), turn: column.whole('e.turn') });

const EARLIEST_OF = statement(
  'charging.earliest_due_of_merchant',
  `with recursive days as (
     select * from (
       select b.charge_on, 1 as step from billings b where b.charge_on is not null order by b.charge_on
         limit 1) f
     union all
     select n.charge_on, d.step + 1 from days d, lateral (
       select b.charge_on from billings b where b.charge_on > d.charge_on
         and b.charge_on <= ($2::timestamptz at time zone 'America/Sao_Paulo')::date
       order by b.charge_on limit 1) n
     where d.step < 5000
   )
   select ${DAY_AND_TURN.columns} from (
     select exists (select from merchants where merchant_id = $1 and billings_held_at is not null) as is_held
   ) h cross join days d cross join lateral (
     select ${TURN} as turn from billings b
     where b.charge_on = d.charge_on and b.merchant_id = $1
       and case when b.transaction_id is null then ${RESTED} and not h.is_held
         else not exists (
           select from pix_collections o where o.merchant_id = b.merchant_id and o.pix_id = b.transaction_id
         ) end
     order by ${TURN} limit 1
   ) e
   order by d.charge_on limit 1`,
);

/**
 * The earliest day and turn of a billing up to an instant, charges under way included; null: there is none.
 */
export async function findEarliestTurnOf(
  database: Database,
  merchantId: string,
  until: Instant,
): Promise<RowOf<typeof DAY_AND_TURN> | null> {
  return firstOf(await database.query(EARLIEST_OF, [merchantId, utcText(until)]), DAY_AND_TURN.parse);
}

/**
 * Locks the subscription first, and changes nothing if it is locked. Finds the billing by key, to see earlier
 * commits.
 */
const PUT_OFF = statement(
  'charging.put_off',
  `with held as materialized (
     select s.subscription_id from subscriptions s where s.merchant_id = $1 and s.subscription_id = $2
     for no key update skip locked
   )
   update billings b set lease_expires_at = now() + $5 * interval '1 second'
   from held h
   where b.merchant_id = $1 and b.billing_id = $3 and b.subscription_id = h.subscription_id and b.fence = $4
     and b.charge_on is not null and b.transaction_id is null`,
);

/** Postpones a due billing by so many seconds of real time, unless it was taken meanwhile. */
export async function putOffBilling(
  database: Database,
  { merchantId, subscriptionId, billingId, fence }: DueBilling,
  seconds: number,
): Promise<void> {
  await database.query(PUT_OFF, [merchantId, subscriptionId, billingId, fence, seconds]);
}

const DUE_DAY = rowCodec({ chargeOn: column.day() }, 'b');

const OLDEST_DUE_DAY = statement(
  'charging.oldest_due_day',
  `select ${DUE_DAY.columns} from billings b where b.charge_on is not null
   order by b.charge_on limit 1`,
);

export async function findOldestDueDay(database: Reader): Promise<Day | null> {
  return firstOf(await database.query(OLDEST_DUE_DAY, []), DUE_DAY.parse)?.chargeOn ?? null;
}
