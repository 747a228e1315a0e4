import type { Audit, AuditEvent } from '../audit/audit-event.ts';
import { type Database, type Row, statement } from '../platform/postgres/database.ts';
import type { Instant } from '../values/instant.ts';
import type { Merchant } from './merchant.ts';

const INSERT = statement(
  'merchants.insert',
  `with merchant as (
     insert into merchants
       (merchant_id, cnpj, legal_name, contact_name, contact_email, contact_phone, production_addresses,
        soft_descriptor)
     values ($1, $2, $3, $4, $5, $6, $7, $9)
     on conflict (merchant_id) do nothing
     returning merchant_id, created_at
   ), numbered as (
     insert into accounts (merchant_id, account_number, position)
     select merchant_id, account_number, position
     from merchant, unnest($8::text[]) with ordinality as a (account_number, position)
   )
   select created_at from merchant`,
);

/** Writes an audited merchant with its accounts; null when the id is taken. */
export async function insertMerchant(
  audit: Audit,
  merchant: Omit<Merchant, 'createdAt'>,
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
  ];
  const row = await audit.change({ statement: INSERT, values }, event);
  return row === undefined ? null : (row.created_at as Instant);
}

const CHANGE = statement(
  'merchants.change',
  'update merchants set soft_descriptor = $2 where merchant_id = $1 returning merchant_id',
);

/** False: there is no such merchant. */
export async function changeSoftDescriptor(
  audit: Audit,
  merchantId: string,
  softDescriptor: string | null,
  event: AuditEvent,
): Promise<boolean> {
  const step = { statement: CHANGE, values: [merchantId, softDescriptor] };
  return (await audit.change(step, event)) !== undefined;
}

const COLUMNS = `merchant_id, cnpj, legal_name, contact_name, contact_email, contact_phone, production_addresses,
  soft_descriptor, created_at,
  array(select account_number from accounts a where a.merchant_id = m.merchant_id order by position) as account_numbers`;

const FIND = statement('merchants.find', `select ${COLUMNS} from merchants m where merchant_id = $1`);

export async function findMerchant(database: Database, merchantId: string): Promise<Merchant | null> {
  const [row] = await database.query(FIND, [merchantId]);
  return row === undefined ? null : parse(row);
}

const LIST = statement('merchants.list', `select ${COLUMNS} from merchants m order by merchant_id`);

/** All merchants: the operator's view. */
export async function listAllMerchants(database: Database): Promise<Merchant[]> {
  return (await database.query(LIST, [])).map(parse);
}

function parse(row: Row): Merchant {
  return {
    merchantId: row.merchant_id as string,
    cnpj: row.cnpj as string,
    legalName: row.legal_name as string,
    contact: {
      name: row.contact_name as string,
      email: row.contact_email as string,
      phone: row.contact_phone as string,
    },
    accountNumbers: row.account_numbers as string[],
    productionAddresses: row.production_addresses as string[],
    softDescriptor: row.soft_descriptor as string | null,
    createdAt: row.created_at as Instant,
  };
}
