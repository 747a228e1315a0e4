import { type Database, statement } from '../../platform/postgres/database.ts';
import { column, rowCodec } from '../../platform/postgres/row-codec.ts';
import type { Passkey } from './passkey.ts';

const PASSKEY = rowCodec<Passkey>({
  userId: column.text(),
  credentialId: column.bytes(),
  publicKey: column.bytes(),
  signCount: column.whole(),
  transports: column.listOf(column.text()),
});

const FIND = statement(
  'console_passkeys.find',
  `select ${PASSKEY.columns} from console_passkeys where credential_id = $1`,
);

export async function findPasskey(database: Database, credentialId: Buffer): Promise<Passkey | null> {
  const [row] = await database.query(FIND, [credentialId]);
  return row === undefined ? null : PASSKEY.parse(row);
}
