import { checkProvider } from '../../antifraud/open-deciders.ts';
import type { Configuration } from '../../app/config.ts';
import type { Lines } from '../../platform/lines.ts';
import { type Database, openDatabase } from '../../platform/postgres/database.ts';
import { checkAcquirer } from '../../providers/acquirers/open-acquirer.ts';
import { checkBank } from '../../providers/banks/open-bank.ts';
import type { Command, InstallationTools, ReachedPlace } from '../command.ts';
import { checkArchive } from './check-archive.ts';
import { checkChannel, type Peer } from './check-channel.ts';
import { checkDatabase, checkWayIn } from './check-database.ts';
import { checkConsole, checkKeys, checkMachine, checkWebhooks } from './check-installation.ts';
import { checkPix, PIX_SOON_DAYS } from './check-pix.ts';
import { checkProcesses } from './check-processes.ts';
import { checkProviders } from './check-providers.ts';
import { type Diagnosis, fault, fine, reasonOf, warning } from './diagnosis.ts';

/** Checks what the service needs, before it starts or while it runs. Changes nothing. */
export const DOCTOR_COMMAND: Command = {
  words: ['doctor'],
  summary: 'look at settings, database, clocks, keys, acquirer, bank, webhooks and disks; changes nothing',
  switches: [{ name: 'strict', description: 'end with 1 for a warning too' }],
  options: [],
  opens: 'installation',
  async run(given, tools) {
    const diagnoses = await examine(tools);
    const count = (state: Diagnosis['state']) => diagnoses.filter((one) => one.state === state).length;
    const [faults, warnings] = [count('fault'), count('warning')];
    return {
      isBad: faults > 0 || (given.has('strict') && warnings > 0),
      lines: [...diagnoses.flatMap(linesOf), `${faults} faults, ${warnings} warnings, ${count('ok')} fine`],
      json: { faults, warnings, diagnoses },
    };
  },
};

const MARKS = { ok: 'ok     ', warning: 'WARNING', fault: 'FAULT  ' } as const;

function linesOf({ state, name, says, advice }: Diagnosis): Lines {
  return [`${MARKS[state]}  ${name}: ${says}`, advice !== null && `           ${advice}`];
}

async function examine({ configure, reachPlace }: InstallationTools): Promise<Diagnosis[]> {
  let configuration: Configuration;
  try {
    configuration = configure();
  } catch (error) {
    if ((error as Error).name !== 'ConfigurationFault') throw error;
    const faults = (error as Error).message.split('\n');
    return faults.map((says) => fault('settings.fault', says, 'see docs/configuration.md'));
  }
  const warnings = configuration.warnings.map((says) =>
    warning('settings.warning', says, 'see docs/configuration.md'),
  );
  const place = await reachPlace(configuration).catch((error: Error) => error);
  const [machine, pages, peers, inDatabase] = await Promise.all([
    checkMachine(configuration),
    checkConsole(configuration),
    Promise.all(peersOf(configuration).map(checkChannel)),
    place instanceof Error
      ? [
          fault(
            'database.unreachable',
            place.message,
            'see docs/installing.md; where it ran before, docs/runbook.md',
          ),
        ]
      : checkInDatabase(place, configuration),
  ]);
  return [
    fine('settings.read', `all settings are understood; this is ${configuration.environment}`),
    ...warnings,
    ...machine,
    ...inDatabase,
    ...peers.flat(),
    ...pages,
  ];
}

type Look = (database: Database, configuration: Configuration) => Promise<Diagnosis[]>;

/** So few that a role or a server short of connections can be looked at too. */
const FEW_CONNECTIONS = { work: 2, search: 1 };

async function checkInDatabase(place: ReachedPlace, configuration: Configuration): Promise<Diagnosis[]> {
  const way = await checkWayIn(place);
  if (way.some(({ state }) => state === 'fault')) return way;
  const database = openDatabase(place.runtime, () => {}, { connections: FEW_CONNECTIONS });
  try {
    const looks: readonly Look[] = [
      checkDatabase,
      checkArchive,
      checkKeys,
      checkProviders,
      (looked) => checkProcesses(looked, place.isStartedHere),
      checkPix,
      checkWebhooks,
    ];
    const found = [...way];
    // One after another: a look that waits for a connection behind others would count as a fault.
    for (const look of looks)
      found.push(
        ...(await look(database, configuration).catch((error: unknown) => [
          fault(
            'database.unreadable',
            reasonOf(error),
            'run parcela migrate, which gives the role its rights',
          ),
        ])),
      );
    return found;
  } finally {
    await database.close();
  }
}

/** Only configured programs: our own simulators start with the service. */
function peersOf(configuration: Configuration): Peer[] {
  const { acquirerUrl, acquirerChannel, bank, pix, antiFraud, keyStore, environment } = configuration;
  const peers: Peer[] = [];
  if (acquirerUrl !== null)
    peers.push({
      name: 'acquirer',
      words: 'the bridge to the acquirer',
      setting: 'PARCELA_ACQUIRER',
      url: acquirerUrl,
      files: acquirerChannel,
      check: async (channel) => (await checkAcquirer(acquirerUrl, environment, channel)).warning,
    });
  if (bank.url !== null) {
    const { url } = bank;
    peers.push({
      name: 'bank',
      words: 'the bridge to the bank',
      setting: 'PARCELA_BANK',
      url,
      files: bank.channel,
      check: (channel) => checkBank(url, environment, channel),
    });
  }
  if (pix.url !== null) {
    const { url } = pix;
    peers.push({
      name: 'pix',
      words: 'the bank of Pix',
      setting: 'PARCELA_PIX',
      url,
      files: pix.channel,
      soonDays: PIX_SOON_DAYS,
      // The standard has nothing that identifies the server.
      check: null,
    });
  }
  if (antiFraud.provider !== null) {
    const { provider } = antiFraud;
    peers.push({
      name: 'antifraud',
      words: 'the anti-fraud provider',
      setting: 'PARCELA_ANTIFRAUD',
      url: provider.url,
      files: provider.channel,
      check: (channel) => checkProvider(provider.url, environment, channel),
    });
  }
  const { traces } = configuration.observability;
  if (traces !== null)
    peers.push({
      name: 'otlp',
      words: 'the collector of traces',
      setting: 'PARCELA_OTLP',
      url: traces.url,
      files: traces.channel,
      check: null,
    });
  if (keyStore.kind === 'external') {
    const { url, channel } = keyStore;
    peers.push({
      name: 'keyStore',
      words: 'the key store',
      setting: 'PARCELA_KEY_STORE',
      url,
      files: channel,
      check: null,
    });
  }
  return peers;
}
