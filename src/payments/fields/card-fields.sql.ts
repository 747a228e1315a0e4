import { type Audit, type MerchantActor, merchantEvent } from '../../audit/audit-event.ts';
import { type Reader, statement } from '../../platform/postgres/database.ts';
import { column, firstOf, rowCodec } from '../../platform/postgres/row-codec.ts';
import { type Instant, utcText } from '../../values/instant.ts';
import type { CardFields } from './card-fields.ts';

const FIELDS = rowCodec<CardFields>(
  { merchantId: column.text(), pageKey: column.text(), origins: column.listOf(column.text()) },
  'f',
);

/** Writes the origins; a page key that is there stays. */
const PUT = statement(
  'card_fields.put',
  `insert into card_fields as f (merchant_id, page_key, origins, changed_by, changed_at)
   values ($1, $2, $3::text[], $4, $5::timestamptz)
   on conflict (merchant_id) do update set origins = excluded.origins, changed_by = excluded.changed_by,
     changed_at = excluded.changed_at
   returning ${FIELDS.columns}`,
);

/** `now`: business time. */
export async function putCardFields(
  audit: Audit,
  { merchantId, pageKey, origins }: CardFields,
  actor: MerchantActor,
  now: Instant,
): Promise<CardFields> {
  const values = [merchantId, pageKey, origins, actor.userName, utcText(now)];
  // Each origin is a detail of its own, because the audit log cuts a long text.
  const named = Object.fromEntries(origins.map((origin, at) => [`origin.${at + 1}`, origin]));
  const detail = { origins: origins.length, ...named };
  const changed = merchantEvent('cardFields.change', actor, 'cards/fields', detail);
  const row = await audit.change(PUT, values, changed);
  if (row === undefined) throw new Error('a row that is put comes back');
  return FIELDS.parse(row);
}

const FIND = statement(
  'card_fields.find',
  `select ${FIELDS.columns} from card_fields f where f.merchant_id = $1`,
);

export async function findCardFields(database: Reader, merchantId: string): Promise<CardFields | null> {
  return firstOf(await database.query(FIND, [merchantId]), FIELDS.parse);
}

const FIND_BY_KEY = statement(
  'card_fields.find_by_key',
  `select ${FIELDS.columns} from card_fields f join merchants m using (merchant_id)
   where f.page_key = $1 and f.origins <> '{}' and m.disabled_at is null`,
);

/** Null: no such page key, no page may have the frame, or the merchant is disabled. */
export async function findCardFieldsByKey(database: Reader, pageKey: string): Promise<CardFields | null> {
  return firstOf(await database.query(FIND_BY_KEY, [pageKey]), FIELDS.parse);
}
