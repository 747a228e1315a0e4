import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import type { ClockedWork } from '../../src/platform/work/due-work.ts';
import type { Instant } from '../../src/values/instant.ts';
import type { TestDatabase } from '../kit/database.ts';

export const MERCHANT = '01700555550000';
const ENDPOINT = 'account:1000001';

/** Business time of a merchant, as claims of due work see it. */
const BUSINESS_NOW = `now() + coalesce((select shift_milliseconds from merchant_clocks where merchant_id = $1), 0)
  * interval '1 millisecond'`;

/**
 * Deliveries as a jump takes them along, with nobody to deliver to: each try is written down with the
 * business time at which it was made. `pauseMilliseconds`: how long one takes.
 */
export function clockedDeliveries(pool: pg.Pool, pauseMilliseconds = 0): ClockedWork {
  return {
    name: 'deliveries',
    async earliestDue(merchantId, until) {
      const { rows } = await pool.query(
        `select extract(epoch from min(due_at)) * 1000 as at from deliveries
         where merchant_id = $1 and state = 'waiting' and due_at <= $2`,
        [merchantId, new Date(until).toISOString()],
      );
      return rows[0]?.at === null ? null : (Math.floor(Number(rows[0]?.at)) as Instant);
    },
    async runDue(merchantId, signal) {
      let count = 0;
      while (!signal.aborted) {
        const { rowCount } = await pool.query(
          `with due as (
             select merchant_id, delivery_number, tries from deliveries
             where merchant_id = $1 and state = 'waiting' and due_at <= ${BUSINESS_NOW}
               and (lease_expires_at is null or lease_expires_at <= now())
             order by due_at limit 1 for no key update skip locked
           ), tried as (
             insert into delivery_tries (merchant_id, delivery_number, try_number, tried_at, milliseconds)
             select merchant_id, delivery_number, tries + 1, ${BUSINESS_NOW}, 0 from due
           )
           update deliveries d set tries = d.tries + 1, state = 'delivered', due_at = null, ended_at = now()
           from due where d.merchant_id = due.merchant_id and d.delivery_number = due.delivery_number`,
          [merchantId],
        );
        if (rowCount === 0) break;
        count += 1;
        if (pauseMilliseconds > 0) await pause(pauseMilliseconds);
      }
      return count;
    },
  };
}

/**
 * A merchant with a target, and deliveries that are due so many milliseconds from the real time on.
 * Their numbers count from 1.
 */
export async function plantDeliveries(pool: pg.Pool, dueIn: readonly number[]): Promise<void> {
  await pool.query(
    `insert into merchants (merchant_id, cnpj, legal_name, contact_name, contact_email, contact_phone,
       production_addresses)
     values ($1, '11222333000181', 'Loja', 'Ana', 'ana@loja.example', '1140000000', '{}') on conflict do nothing`,
    [MERCHANT],
  );
  await pool.query('delete from deliveries');
  await pool.query('delete from delivery_tries');
  await pool.query('delete from merchant_clocks');
  await addDeliveries(pool, dueIn);
}

/** Further ones; due by real time, not by the merchant's. */
export async function addDeliveries(pool: pg.Pool, dueIn: readonly number[]): Promise<void> {
  await pool.query(
    `insert into deliveries (merchant_id, delivery_number, kind, endpoint, account_number, body, due_at, scheduled_at)
     select $1, (select count(*) from deliveries) + d.number, 'test', $2, '1000001', '{}',
       now() + d.milliseconds * interval '1 millisecond', now()
     from unnest($3::float8[]) with ordinality as d (milliseconds, number)`,
    [MERCHANT, ENDPOINT, dueIn],
  );
}

/** Each try in its order, and how many milliseconds after its instant it was made, by business time. */
export async function triesOf(pool: pg.Pool): Promise<{ number: number; triedAt: number }[]> {
  const { rows } = await pool.query(
    `select delivery_number::int as number, extract(epoch from tried_at)::float8 * 1000 as tried_at from delivery_tries
     order by tried_at, delivery_number`,
  );
  return rows.map((row) => ({ number: row.number as number, triedAt: row.tried_at as number }));
}

export function openPool({ address }: Pick<TestDatabase, 'address'>): pg.Pool {
  const pool = new pg.Pool({ ...address, max: 4 });
  // What is cut when the database is dropped must not end the file.
  pool.on('error', () => {});
  return pool;
}
