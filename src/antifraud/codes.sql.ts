import { type Database, statement } from '../platform/postgres/database.ts';
import type { GatheredReadOptions } from '../platform/postgres/gathered-reads.ts';
import type { GatheredWriteOptions } from '../platform/postgres/gathered-writes.ts';
import type { CodePrints, Prints } from './anti-fraud.ts';

export type CodeKey = { readonly merchantId: string; readonly code: string };
export type CodeRow = CodeKey & CodePrints & { readonly lifetimeMilliseconds: number };

const INSERT = statement(
  'antifraud.insert_codes',
  `insert into anti_fraud_codes (merchant_id, code, address_prints, device_prints, expires_at)
   select merchant_id, code, address_prints, device_prints, now() + lifetime * interval '1 millisecond'
   from unnest($1::text[], $2::uuid[], $3::bytea[], $4::bytea[], $5::integer[])
     as i (merchant_id, code, address_prints, device_prints, lifetime)
   on conflict do nothing`,
);

/** The code is new for each caller: a conflict can only be this row itself, written again after a lost connection. */
export function codesWrite(database: Database): GatheredWriteOptions<CodeRow, true> {
  return {
    name: 'antiFraudCodes',
    key: (row) => row.code,
    merchant: (row) => row.merchantId,
    write: async (rows) => {
      await database.query(INSERT, [
        rows.map((row) => row.merchantId),
        rows.map((row) => row.code),
        rows.map((row) => bytesOf(row.addressPrints)),
        rows.map((row) => bytesOf(row.devicePrints)),
        rows.map((row) => row.lifetimeMilliseconds),
      ]);
      return new Map(rows.map((row) => [row.code, true]));
    },
  };
}

const FIND = statement(
  'antifraud.find_codes',
  `select c.merchant_id, c.code, c.address_prints, c.device_prints
   from unnest($1::text[], $2::uuid[]) as i (merchant_id, code)
   join anti_fraud_codes c on c.merchant_id = i.merchant_id and c.code = i.code
   where c.expires_at > now() and c.transaction_id is null`,
);

/** Codes that live and that no transaction has in use, each looked up for one merchant. */
export function codesRead(database: Database): GatheredReadOptions<CodeKey, CodePrints> {
  return {
    name: 'anti-fraud codes',
    // PostgreSQL writes UUIDs in lower case, whatever it was given.
    textOf: ({ merchantId, code }) => `${merchantId}|${code.toLowerCase()}`,
    async read(keys) {
      const columns = [keys.map((key) => key.merchantId), keys.map((key) => key.code)];
      const rows = await database.query(FIND, columns);
      return new Map(
        rows.map((row) => [
          `${row.merchant_id}|${row.code}`,
          { addressPrints: parsePrints(row.address_prints), devicePrints: parsePrints(row.device_prints) },
        ]),
      );
    },
  };
}

const PRINT_BYTES = 32;

/** Prints one after the other: gathered rows come as arrays, and arrays of arrays would have to be of one length. */
function bytesOf(prints: Prints): Buffer | null {
  return prints.length === 0 ? null : Buffer.concat(prints);
}

function parsePrints(bytes: unknown): Prints {
  if (!(bytes instanceof Buffer)) return [];
  return Array.from({ length: bytes.length / PRINT_BYTES }, (_, index) =>
    bytes.subarray(index * PRINT_BYTES, (index + 1) * PRINT_BYTES),
  );
}

const FORGET = statement(
  'antifraud.forget_codes',
  `delete from anti_fraud_codes where (merchant_id, code) in
     (select merchant_id, code from anti_fraud_codes where expires_at < now() - interval '1 minute'
      order by expires_at limit $1 for update skip locked)
   returning 1`,
);

/** Removes up to `limit` codes that are over; gives how many went. With a code its claim goes: nobody can use it again. */
export async function deleteExpiredCodes(database: Database, limit: number): Promise<number> {
  return (await database.query(FORGET, [limit])).length;
}
