import { type Database, type Reader, statement, type Tx } from '../../platform/postgres/database.ts';
import { forgetting } from '../../platform/postgres/forgetting.ts';
import { column, firstOf, rowCodec } from '../../platform/postgres/row-codec.ts';
import { type EarlierForm, FORM_OUTCOMES, type Refusal, readRefusal, type SentForm } from './sent-form.ts';

/**
 * Writes the key of a form. A refused form may be sent again under its key with other fields: nothing was
 * done.
 */
const START = statement(
  'console_actions.start',
  `insert into console_actions as a (once_key, user_id, path_hash, fields_hash)
   values ($1, $2, $3, $4)
   on conflict (once_key) do update
     set fields_hash = excluded.fields_hash, begun_at = now(), outcome = null, refusal = null, ended_at = null
     where a.user_id = excluded.user_id and a.path_hash = excluded.path_hash
       and a.fields_hash <> excluded.fields_hash and a.outcome = 'refused'
   returning once_key`,
);

export async function startForm(
  tx: Tx,
  { onceKey, userId, pathHash, fieldsHash }: SentForm,
): Promise<boolean> {
  return (await tx.query(START, [onceKey, userId, pathHash, fieldsHash])).length === 1;
}

const EARLIER_FORM = rowCodec<EarlierForm>({
  onceKey: column.text(),
  userId: column.text(),
  pathHash: column.bytes(),
  fieldsHash: column.bytes(),
  outcome: column.nullable(column.oneOf(FORM_OUTCOMES)),
  refusal: column.nullable(column.parsedBy(readRefusal)),
});

const FIND = statement(
  'console_actions.find',
  `select ${EARLIER_FORM.columns} from console_actions where once_key = $1`,
);

export async function findEarlierForm(
  database: Pick<Database, 'query'>,
  onceKey: string,
): Promise<EarlierForm | null> {
  return firstOf(await database.query(FIND, [onceKey]), EARLIER_FORM.parse);
}

const RENEW = statement(
  'console_actions.renew',
  `update console_actions set begun_at = now() where once_key = $1 and user_id = $2 and outcome is null`,
);

/** The form counts as begun now, so that forms about the same thing see it under way. */
export async function renewForm(tx: Tx, { onceKey, userId }: SentForm): Promise<void> {
  await tx.query(RENEW, [onceKey, userId]);
}

/**
 * Writes the outcome of a form. What was done stays done, whatever another try under the key was refused for.
 */
const FINISH = statement(
  'console_actions.finish',
  `update console_actions set outcome = $3, refusal = $4, ended_at = now()
   where once_key = $1 and user_id = $2 and (outcome is null or $3 = 'done')
   returning once_key`,
);

/** False: another try under its key has ended before. */
export async function finishForm(
  database: Pick<Database, 'query'>,
  { onceKey, userId }: SentForm,
  refusal: Refusal | null,
): Promise<boolean> {
  const outcome = refusal === null ? 'done' : 'refused';
  const kept = refusal === null ? null : JSON.stringify(refusal);
  return (await database.query(FINISH, [onceKey, userId, outcome, kept])).length === 1;
}

const FREE = statement(
  'console_actions.free',
  `delete from console_actions where once_key = $1 and user_id = $2 and outcome is null returning once_key`,
);

/**
 * Deletes the key, because nothing was done: the same form may be sent again. False: another try has ended.
 */
export async function freeForm(tx: Tx, { onceKey, userId }: SentForm): Promise<boolean> {
  return (await tx.query(FREE, [onceKey, userId])).length === 1;
}

/**
 * The paths of forms that act on one thing, of which only one may be under way. `key`: the key of the form
 * that asks.
 */
export type Places = {
  readonly paths: readonly string[];
  readonly pathHashes: readonly Buffer[];
  readonly key: string;
};

const HOLD = statement(
  'console_actions.hold_places',
  `select pg_advisory_xact_lock(hashtextextended('console|' || p.path, 0))
   from (select path from unnest($1::text[]) as u (path) order by path) p`,
);

/**
 * Locks the paths until the commit: of forms that begin at the same time, all but the first see the first.
 */
export async function holdPlaces(tx: Tx, { paths }: Places): Promise<void> {
  await tx.query(HOLD, [paths]);
}

const UNDER_WAY = statement(
  'console_actions.find_under_way',
  `select exists (
     select from console_actions a
     where a.path_hash = any ($1::bytea[]) and a.outcome is null and a.once_key <> $3
       and a.begun_at > now() - interval '10 minutes'
     union all
     select from console_decisions d join console_requests r on r.request_id = d.request_id
     where d.decision = 'approved' and d.outcome is null and d.decided_at > now() - interval '10 minutes'
       and r.path = any ($2::text[]) and d.request_id <> $3) as is_under_way`,
);

/** Whether another form or approved request for one of the places has no known end. */
export async function isUnderWay(reader: Reader, { paths, pathHashes, key }: Places): Promise<boolean> {
  const [row] = await reader.query(UNDER_WAY, [pathHashes, paths, key]);
  return row?.is_under_way === true;
}

/** Deletes the keys of forms that were begun more seconds ago than the given number. */
export const deleteOldActions = forgetting<[number]>({
  table: 'console_actions',
  by: 'begun_at',
  over: "begun_at < now() - $2 * interval '1 second'",
});
