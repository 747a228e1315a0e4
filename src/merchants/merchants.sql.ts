import type { Audit, AuditEvent } from '../audit/audit-event.ts';
import { type BusinessClock, businessClock } from '../platform/business-clock.ts';
import { DatabaseTime } from '../platform/database-time.ts';
import { MOST_COUNTED_OF_ALL } from '../platform/pages.ts';
import { type Database, type Reader, type Row, statement, type Tx } from '../platform/postgres/database.ts';
import { column, firstOf, type RowOf, rowCodec } from '../platform/postgres/row-codec.ts';
import type { Instant } from '../values/instant.ts';
import { bareCnpj, type Merchant, type MerchantField, type NewMerchant, type Standing } from './merchant.ts';

const CREATED = rowCodec({ createdAt: column.instant() });

const INSERT = statement(
  'merchants.insert',
  `with merchant as (
     insert into merchants
       (merchant_id, cnpj, legal_name, contact_name, contact_email, contact_phone, production_addresses,
        soft_descriptor, business_address)
     values ($1, $2, $3, $4, $5, $6, $7, $9, $10)
     on conflict (merchant_id) do nothing
     returning merchant_id, created_at
   ), numbered as (
     insert into accounts (merchant_id, account_number, position)
     select merchant_id, account_number, position
     from merchant, unnest($8::text[]) with ordinality as a (account_number, position)
   )
   select ${CREATED.columns} from merchant`,
);

/** Audited. null: the id is taken. */
export async function insertMerchant(
  audit: Audit,
  merchant: NewMerchant,
  event: AuditEvent,
): Promise<Instant | null> {
  const { contact } = merchant;
  const values = [
    merchant.merchantId,
    merchant.cnpj,
    merchant.legalName,
    contact.name,
    contact.email,
    contact.phone,
    merchant.productionAddresses,
    merchant.accountNumbers,
    merchant.softDescriptor,
    merchant.businessAddress,
  ];
  const row = await audit.change(INSERT, values, event);
  return row === undefined ? null : CREATED.parse(row).createdAt;
}

/** Writes changed fields only: somebody else may change another field at the same time. */
const CHANGE = statement(
  'merchants.change',
  `update merchants set
     legal_name = case when $2::boolean then $3 else legal_name end,
     contact_name = case when $4::boolean then $5 else contact_name end,
     contact_email = case when $6::boolean then $7 else contact_email end,
     contact_phone = case when $8::boolean then $9 else contact_phone end,
     production_addresses = case when $10::boolean then $11::text[] else production_addresses end,
     soft_descriptor = case when $12::boolean then $13 else soft_descriptor end,
     business_address = case when $14::boolean then $15 else business_address end
   where merchant_id = $1 returning merchant_id`,
);

export async function updateMerchant(
  audit: Audit,
  { merchantId, legalName, contact, productionAddresses, softDescriptor, businessAddress }: Merchant,
  fields: readonly MerchantField[],
  event: AuditEvent,
): Promise<boolean> {
  const is = (field: MerchantField) => fields.includes(field);
  const values = [
    merchantId,
    ...[is('legalName'), legalName],
    ...[is('contactName'), contact.name],
    ...[is('contactEmail'), contact.email],
    ...[is('contactPhone'), contact.phone],
    ...[is('productionAddresses'), productionAddresses],
    ...[is('softDescriptor'), softDescriptor],
    ...[is('businessAddress'), businessAddress],
  ];
  return (await audit.change(CHANGE, values, event)) !== undefined;
}

/** A hold by hand replaces one by a restore, which only `endRestoredHold` ends. */
const STAND = statement(
  'merchants.stand',
  `update merchants set
     disabled_at = case when $2 <> 'disabled' then disabled_at when $3::boolean then now() end,
     billings_held_at = case when $2 <> 'billingsHeld' then billings_held_at
       when $3::boolean then coalesce(billings_held_at, now()) end,
     is_held_by_restore = $2 <> 'billingsHeld' and is_held_by_restore
   where merchant_id = $1
     and case $2 when 'disabled' then (disabled_at is null) = $3::boolean
       else (billings_held_at is null or is_held_by_restore) = $3::boolean end
   returning merchant_id`,
);

/** False: already in this state, or an unknown merchant. */
export async function stand(tx: Tx, merchantId: string, standing: Standing, isOn: boolean): Promise<boolean> {
  return (await tx.query(STAND, [merchantId, standing, isOn])).length === 1;
}

const HELD = rowCodec({ held: column.whole('count(*)::integer') });

const HOLD_RESTORED = statement(
  'merchants.hold_restored',
  `with held as (
     update merchants set billings_held_at = now(), is_held_by_restore = true where billings_held_at is null
     returning merchant_id
   )
   select ${HELD.columns} from held`,
);

const heldOf = ([row]: readonly Row[]): number => (row === undefined ? 0 : HELD.parse(row).held);

/** Holds the billings of all merchants; returns how many were not held before. */
export async function holdRestored(tx: Tx): Promise<number> {
  return heldOf(await tx.query(HOLD_RESTORED, []));
}

const RELEASE_RESTORED = statement(
  'merchants.release_restored',
  `update merchants set billings_held_at = null, is_held_by_restore = false
   where is_held_by_restore and ($1::text is null or merchant_id = $1)
   returning merchant_id`,
);

/** Ends the hold of `holdRestored` for one merchant or (null) all; returns how many. */
export async function endRestoredHold(tx: Tx, merchantId: string | null): Promise<number> {
  return (await tx.query(RELEASE_RESTORED, [merchantId])).length;
}

const COUNT_HELD_BY_RESTORE = statement(
  'merchants.count_held_by_restore',
  `select ${HELD.columns} from merchants where is_held_by_restore`,
);

export async function countHeldByRestore(database: Reader): Promise<number> {
  return heldOf(await database.query(COUNT_HELD_BY_RESTORE, []));
}

const IS_HELD_BY_RESTORE = statement(
  'merchants.is_held_by_restore',
  `select exists (select from merchants where is_held_by_restore and ($1::text is null or merchant_id = $1)) as is_held`,
);

/** `merchantId` null: any merchant. */
export async function isHeldByRestore(database: Reader, merchantId: string | null): Promise<boolean> {
  const [row] = await database.query(IS_HELD_BY_RESTORE, [merchantId]);
  return row?.is_held === true;
}

/** Adds all accounts and returns one row. If one of them exists already, it adds none and returns none. */
const ADD_ACCOUNTS = statement(
  'merchants.add_accounts',
  `with added as (
     insert into accounts (merchant_id, account_number, position)
     select $1, n.account_number, n.position + (select max(position) from accounts where merchant_id = $1)
     from unnest($2::text[]) with ordinality as n (account_number, position)
     where not exists (select from accounts where merchant_id = $1 and account_number = any ($2::text[]))
     returning account_number
   )
   select min(account_number) as first from added having count(*) > 0`,
);

/** False, and nothing is written: one of the accounts exists already. The merchant exists. */
export async function insertAccounts(
  audit: Audit,
  merchantId: string,
  accountNumbers: readonly string[],
  event: AuditEvent,
): Promise<boolean> {
  return (await audit.change(ADD_ACCOUNTS, [merchantId, accountNumbers], event)) !== undefined;
}

const MERCHANT = rowCodec({
  merchantId: column.text(),
  cnpj: column.text(),
  legalName: column.text(),
  contactName: column.text(),
  contactEmail: column.text(),
  contactPhone: column.text(),
  accountNumbers: column.listOf(
    column.text(
      'array(select account_number from accounts a where a.merchant_id = m.merchant_id order by position)',
    ),
  ),
  productionAddresses: column.listOf(column.text()),
  softDescriptor: column.nullable(column.text()),
  businessAddress: column.nullable(column.text()),
  createdAt: column.instant(),
  isDisabled: column.boolean('disabled_at is not null'),
  hasBillingsHeld: column.boolean('billings_held_at is not null'),
  isHeldByRestore: column.boolean(),
});

function parse(row: Row): Merchant {
  const { contactName: name, contactEmail: email, contactPhone: phone, ...merchant } = MERCHANT.parse(row);
  return { ...merchant, contact: { name, email, phone } };
}

const FIND = statement(
  'merchants.find',
  `select ${MERCHANT.columns} from merchants m where merchant_id = $1`,
);

export async function findMerchant(database: Database, merchantId: string): Promise<Merchant | null> {
  return firstOf(await database.query(FIND, [merchantId]), parse);
}

const LIST = statement('merchants.list', `select ${MERCHANT.columns} from merchants m order by merchant_id`);

export async function listAllMerchants(database: Database): Promise<Merchant[]> {
  return (await database.query(LIST, [])).map(parse);
}

const SEARCH = statement(
  'merchants.search',
  `select ${MERCHANT.columns} from merchants m
   where m.merchant_id > $1
     and ($2::text is null or m.merchant_id = $2 or m.cnpj = $3 or position(lower($2) in lower(m.legal_name)) > 0
       or exists (select from accounts a where a.merchant_id = m.merchant_id and a.account_number = $2))
     and ($4::text is null or case $4 when 'disabled' then m.disabled_at when 'billingsHeld' then m.billings_held_at end is not null)
   order by m.merchant_id limit $5`,
);

/** null fields match every merchant. */
export type MerchantFilter = {
  /** Matches id, CNPJ with or without mask, account, or a part of the name. */
  readonly text: string | null;
  readonly standing: Standing | null;
};

/** The next page behind an id, in the order of ids. For the operator. */
export async function searchMerchants(
  database: Reader,
  { text, standing }: MerchantFilter,
  after: string,
  limit: number,
): Promise<Merchant[]> {
  const values = [after, text, text === null ? null : bareCnpj(text), standing, limit];
  return (await database.query(SEARCH, values)).map(parse);
}

const COUNTS = rowCodec({
  inAll: column.whole('count(*)'),
  disabled: column.whole('count(disabled_at)'),
  billingsHeld: column.whole('count(billings_held_at)'),
});

const COUNT = statement(
  'merchants.count',
  `select ${COUNTS.columns}
   from (select disabled_at, billings_held_at from merchants limit $1) as counted`,
);

export type MerchantCounts = RowOf<typeof COUNTS>;

export async function countMerchants(database: Database): Promise<MerchantCounts> {
  const [row = {}] = await database.query(COUNT, [MOST_COUNTED_OF_ALL]);
  return COUNTS.parse(row);
}

const FIND_ACCOUNT = statement(
  'merchants.find_account',
  'select position from accounts where merchant_id = $1 and account_number = $2',
);

export async function hasAccount(
  database: Reader,
  merchantId: string,
  accountNumber: string,
): Promise<boolean> {
  return (await database.query(FIND_ACCOUNT, [merchantId, accountNumber])).length === 1;
}

export function listMerchants(tools: { readonly database: Database }): Promise<Merchant[]> {
  return listAllMerchants(tools.database);
}

/** How far business time is ahead of real time, and whether it is being moved. */
export type MerchantClock = { readonly shiftMilliseconds: number; readonly isJumping: boolean };

const CLOCK = rowCodec({
  merchantId: column.text(),
  shiftMilliseconds: column.whole(),
  isJumping: column.boolean('target_at is not null'),
});

const LIST_CLOCKS = statement(
  'merchants.list_clocks',
  `select ${CLOCK.columns} from merchant_clocks order by merchant_id`,
);

export const VERSION_OF_CLOCKS = statement(
  'merchants.version_of_clocks',
  `select sum(hashtextextended(concat_ws(' ', merchant_id, shift_milliseconds, target_at is null), 0))::text as version
   from merchant_clocks`,
);

/** The clock of each merchant whose business time was ever moved; in production of none. */
export async function listMovedClocks(database: Database): Promise<Map<string, MerchantClock>> {
  const clocks = (await database.query(LIST_CLOCKS, [])).map(CLOCK.parse);
  return new Map(clocks.map(({ merchantId, ...clock }) => [merchantId, clock]));
}

/** For commands: business time as a running service has it. */
export async function readBusinessClock(database: Database): Promise<BusinessClock> {
  const time = new DatabaseTime();
  await time.follow(database);
  const clocks = await listMovedClocks(database);
  const shifts = [...clocks].map(([merchantId, clock]) => [merchantId, clock.shiftMilliseconds] as const);
  return businessClock(time, new Map(shifts));
}
