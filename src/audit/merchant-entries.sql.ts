import { type Reader, statement } from '../platform/postgres/database.ts';
import { column, type RowOf, rowCodec } from '../platform/postgres/row-codec.ts';

const ENTRY = rowCodec({
  entryNumber: column.whole(),
  occurredAtSeconds: column.text('extract(epoch from occurred_at)::text'),
  actor: column.text(),
  action: column.text(),
  resource: column.text(),
  detail: column.text(),
});

/** An act in the console, without its seal. */
export type MerchantEntry = RowOf<typeof ENTRY>;

const OF_MERCHANT = `action like 'console.%' and resource like 'merchants/%' and split_part(resource, '/', 2) = $1`;
const OF_THING = `${OF_MERCHANT} and split_part(resource, '/', 4) = $2 and split_part(resource, '/', 4) <> ''`;

const LIST = statement(
  'audit.list_of_merchant',
  `select ${ENTRY.columns} from audit_entries
   where ${OF_MERCHANT} and entry_number < $2 order by entry_number desc limit $3`,
);

const LIST_NEWER = statement(
  'audit.list_of_merchant_newer',
  `select ${ENTRY.columns} from audit_entries
   where ${OF_MERCHANT} and entry_number >= $2 order by entry_number limit $3`,
);

const LIST_OF_THING = statement(
  'audit.list_of_thing',
  `select ${ENTRY.columns} from audit_entries where ${OF_THING} order by entry_number desc limit $3`,
);

/** `name`: the merchant's, as in the path of a page. Newest first. */
export async function listMerchantEntries(
  reader: Reader,
  name: string,
  { before, limit }: { readonly before: number; readonly limit: number },
): Promise<readonly MerchantEntry[]> {
  return (await reader.query(LIST, [name, before, limit])).map(ENTRY.parse);
}

/** The first entries from the number `from` on, newest first: they say what became of earlier acts. */
export async function listNewerEntries(
  reader: Reader,
  name: string,
  { from, limit }: { readonly from: number; readonly limit: number },
): Promise<readonly MerchantEntry[]> {
  return (await reader.query(LIST_NEWER, [name, from, limit])).map(ENTRY.parse).toReversed();
}

/** Entries about a payment or another thing, by its id. Newest first. */
export async function listThingEntries(
  reader: Reader,
  name: string,
  { thing, limit }: { readonly thing: string; readonly limit: number },
): Promise<readonly MerchantEntry[]> {
  return (await reader.query(LIST_OF_THING, [name, thing, limit])).map(ENTRY.parse);
}
