import type { Configuration } from '../../app/config.ts';
import { listDataKeys } from '../../keys/data-keys.sql.ts';
import { openKeyStore } from '../../keys/open-key-store.ts';
import { openKeyring, PURPOSES } from '../../keys/open-keyring.ts';
import type { Database } from '../../platform/postgres/database.ts';
import { type Diagnosis, fault, fine, reasonOf, warning } from './diagnosis.ts';

/** What of a store the operator alone can keep. */
const COPIES = {
  file: '; keep a copy of the key file in another place',
  environment: '; keep a copy of its value in another place',
  external: '',
} as const;

/** Whether the keys open everything that is sealed here. Nothing is made. */
export async function checkKeys(database: Database, configuration: Configuration): Promise<Diagnosis[]> {
  const { keyStore, environment } = configuration;
  const present = await listDataKeys(database);
  const isWhole = PURPOSES.every((purpose) =>
    present.some((key) => key.purpose === purpose && !key.isRetired),
  );
  if (present.length === 0 && environment === 'homologation')
    return [fine('keys.none', 'there are no keys yet: the first start makes them')];
  try {
    const { store } = await openKeyStore(keyStore, environment, database);
    if (!isWhole) {
      const says = `${store.name} is there, and the database has no data keys yet`;
      return [warning('keys.none', says, `the first start makes them${COPIES[keyStore.kind]}`)];
    }
    await openKeyring(database, store, configuration, () => {});
    return [fine('keys.open', `${store.name} opens all ${present.length} data keys`)];
  } catch (error) {
    return [fault('keys.unusable', reasonOf(error), 'see docs/keys.md')];
  }
}
