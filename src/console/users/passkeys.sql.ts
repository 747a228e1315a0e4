import { type Database, statement } from '../../platform/postgres/database.ts';
import type { Passkey } from './passkey.ts';

const FIND = statement(
  'console_passkeys.find',
  `select user_id::text, credential_id, public_key, sign_count, transports
   from console_passkeys where credential_id = $1`,
);

export async function findPasskey(database: Database, credentialId: Buffer): Promise<Passkey | null> {
  const [row] = await database.query(FIND, [credentialId]);
  if (row === undefined) return null;
  return {
    userId: row.user_id as string,
    credentialId: row.credential_id as Buffer,
    publicKey: row.public_key as Buffer,
    signCount: row.sign_count as number,
    transports: row.transports as string[],
  };
}
