import { remittanceBankNamed } from '#settlement-files';
import type { Configuration } from '../../app/config.ts';
import { openKeyStore } from '../../keys/open-key-store.ts';
import { type Keyring, openKeyring } from '../../keys/open-keyring.ts';
import type { Database } from '../../platform/postgres/database.ts';
import { findWaiting, LONGEST_WAIT_DAYS } from '../../providers/banks/remittances/remittances.sql.ts';
import { openCredentials } from '../../providers/open-provider-table.ts';
import { listProviders, type StoredProvider } from '../../providers/providers.sql.ts';
import { findProviderFault } from '../find-provider-fault.ts';
import { type Diagnosis, fault, fine, reasonOf, warning } from './diagnosis.ts';

/** Whether the added providers answer and are fit; the changes of disabled ones are read too. */
export async function checkProviders(database: Database, configuration: Configuration): Promise<Diagnosis[]> {
  const providers = await listProviders(database);
  const { acquirerUrl, environment } = configuration;
  const isServed = acquirerUrl !== null || providers.some(({ kind }) => kind === 'acquirer');
  if (environment === 'production' && !isServed) {
    const says = 'production needs an acquirer, and there is none: the simulator is for homologation';
    return [fault('providers.acquirer', says, 'set PARCELA_ACQUIRER_URL, or parcela provider add')];
  }
  if (providers.length === 0) return [fine('providers.none', 'no provider was added beside the settings')];
  return [
    ...(await checkAll(providers, database, configuration)),
    ...checkTimeouts(providers, configuration),
    ...(await checkRemittances(database, providers)),
  ];
}

async function checkAll(
  providers: readonly StoredProvider[],
  database: Database,
  configuration: Configuration,
): Promise<Diagnosis[]> {
  const { environment } = configuration;
  try {
    const { store } = await openKeyStore(configuration.keyStore, environment, database);
    const keyring = await openKeyring(database, store, configuration, () => {});
    return await Promise.all(providers.map((provider) => checkOne(provider, environment, keyring)));
  } catch (error) {
    return [fault('providers.keys', reasonOf(error), 'see docs/keys.md')];
  }
}

/**
 * PARCELA_ACQUIRER_TIMEOUT_MILLISECONDS is the longest timeout of all acquirers; the deadline of a request is
 * computed from it.
 */
function checkTimeouts(
  providers: readonly StoredProvider[],
  { acquirerTimeoutMilliseconds: most }: Configuration,
): Diagnosis[] {
  return providers.flatMap(({ kind, name, timeoutMilliseconds: wanted }) => {
    if (kind !== 'acquirer' || wanted === null || wanted <= most) return [];
    const says = `the acquirer ${name} is to have ${wanted} ms, and PARCELA_ACQUIRER_TIMEOUT_MILLISECONDS ends its calls after ${most}`;
    const advice = 'raise the setting, and PARCELA_REQUEST_DEADLINE_MILLISECONDS by as much; shorten others';
    return [warning('providers.timeout', says, advice)];
  });
}

/** A provider that changed its bank writes no file to the former one. */
async function checkRemittances(
  database: Database,
  providers: readonly StoredProvider[],
): Promise<Diagnosis[]> {
  const byFile = providers.filter(({ kind, adapter }) => kind === 'bank' && adapter === 'remessa');
  const banks = byFile.map(({ name, settings: { bank: code = '', layout } }) => {
    const bank = remittanceBankNamed(code, layout);
    return { name, code, numberLength: typeof bank === 'string' ? 0 : bank.numberLength };
  });
  try {
    return (await findWaiting(database, banks)).map(({ name, code, count, isStranded }) => {
      const wait = `${count} instructions of boletos wait for a file to`;
      return isStranded
        ? warning(
            'providers.stranded',
            `${wait} bank ${code}, which ${name} writes no more, or in another layout`,
            `parcela provider change --kind bank --name ${name} --adapter remessa --setting bank=${code} with its other settings, and the layout that it had`,
          )
        : warning(
            'providers.unwritten',
            `${wait} ${name}, the oldest for more than ${LONGEST_WAIT_DAYS} days`,
            `parcela remessa make --bank ${name} --folder FOLDER, which names what it leaves out`,
          );
    });
  } catch (error) {
    return [fault('providers.waiting', reasonOf(error), 'run the doctor again')];
  }
}

async function checkOne(
  provider: StoredProvider,
  environment: Configuration['environment'],
  keyring: Keyring,
): Promise<Diagnosis> {
  const { kind, name } = provider;
  const why = await openCredentials(keyring, provider).then(
    (credentials) => findProviderFault(provider, environment, credentials),
    reasonOf,
  );
  if (why === null) return fine('providers.fit', `the ${kind} ${name} answers and is fit`);
  return fault(
    'providers.unfit',
    `the ${kind} ${name}: ${why}`,
    `parcela provider test --kind ${kind} --name ${name}`,
  );
}
