import { findSeals } from '../../audit/audit-entries.sql.ts';
import type { ShippedLine } from '../../audit/shipped-line.ts';
import { type Database, statement, type Tx } from '../../platform/postgres/database.ts';
import { column, rowCodec } from '../../platform/postgres/row-codec.ts';
import type { Instant } from '../../values/instant.ts';
import type { PresentState, RedoableChange } from './lost-change.ts';

const STATE = rowCodec({ state: column.nullable(column.text()) });

const FIND_STATE = statement(
  'restored.find_state',
  `select case $1
     when 'subscription' then (select state from subscriptions where merchant_id = $2 and subscription_id = $3::uuid)
     when 'card' then (select vault_id::text from subscriptions where merchant_id = $2 and subscription_id = $3::uuid)
     when 'plan' then (select state from plans where merchant_id = $2 and plan_id = $3::uuid)
     when 'billing' then (select state from billings where merchant_id = $2 and billing_id = $3::uuid)
     when 'disabled' then (
       select case when disabled_at is null then 'off' else 'on' end from merchants where merchant_id = $2)
     when 'billingsHeld' then (
       select case when billings_held_at is null or is_held_by_restore then 'off' else 'on' end
       from merchants where merchant_id = $2)
   end as state`,
);

export async function findPresentState(database: Database, change: RedoableChange): Promise<PresentState> {
  const { merchantId } = change;
  const values =
    change.kind === 'standing'
      ? [change.standing, merchantId, null]
      : [change.kind, merchantId, change.id.toLowerCase()];
  const [row] = await database.query(FIND_STATE, values);
  return row === undefined ? null : STATE.parse(row).state;
}

const LINES_AT_ONCE = 1_000;

const REDONE = rowCodec({ auditSeal: column.bytes() });

const FIND_REDONE = statement(
  'restore_redone.find',
  `select ${REDONE.columns} from restore_redone where audit_seal = any ($1::bytea[])`,
);

export async function findLost(
  database: Database,
  lines: readonly ShippedLine[],
): Promise<{ readonly line: ShippedLine; readonly isRedone: boolean }[]> {
  const found: { line: ShippedLine; isRedone: boolean }[] = [];
  for (let from = 0; from < lines.length; from += LINES_AT_ONCE) {
    const some = lines.slice(from, from + LINES_AT_ONCE);
    const here = await findSeals(
      database,
      some.map(({ entryNumber }) => entryNumber),
    );
    const lost = some.filter(({ entryNumber, seal }) => here.get(entryNumber)?.toString('hex') !== seal);
    const redone = await database.query(FIND_REDONE, [lost.map(({ seal }) => Buffer.from(seal, 'hex'))]);
    const seals = new Set(redone.map((row) => REDONE.parse(row).auditSeal.toString('hex')));
    found.push(...lost.map((line) => ({ line, isRedone: seals.has(line.seal) })));
  }
  return found;
}

const NOTE = statement(
  'restore_redone.note',
  `insert into restore_redone (audit_seal, audit_entry) values ($1, $2)
   on conflict do nothing returning audit_entry`,
);

/** False if it was noted before. */
export async function noteRedone(tx: Tx, { seal, entryNumber }: ShippedLine): Promise<boolean> {
  return (await tx.query(NOTE, [Buffer.from(seal, 'hex'), entryNumber])).length === 1;
}

const SINCE = rowCodec({ since: column.instant() });

const LAST_SINCE = statement(
  'restore_runs.last_since',
  `select ${SINCE.columns} from restore_runs order by run_number desc limit 1`,
);

/** The start of the last comparison after a restore. */
export async function findLastSince(database: Database): Promise<Instant | null> {
  const [row] = await database.query(LAST_SINCE, []);
  return row === undefined ? null : SINCE.parse(row).since;
}
