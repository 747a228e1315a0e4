import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Simulator, StartSimulator } from '../homologation/start-simulator.ts';
import type { Closing } from '../platform/closings.ts';
import type { Configuration } from './config.ts';

/** How long after our timeout a late answer of a simulator comes. */
const LATE_BEHIND_TIMEOUT_MILLISECONDS = 2_000;

type Starting = {
  readonly configuration: Configuration;
  readonly closings: Closing[];
  readonly say: (line: string) => void;
  /** Default: simulators are separate programs. */
  readonly start: StartSimulator | undefined;
};

export async function startOwnSimulator(starting: Starting): Promise<Simulator | null> {
  const { acquirerUrl, environment, simulatorLateMilliseconds: lateMilliseconds } = starting.configuration;
  if (acquirerUrl !== null || environment === 'production') return null;
  return openSimulator(starting, { program: 'acquirer', folder: 'simulator', lateMilliseconds });
}

/** Not beside a real acquirer: its installation may have several processes, each with its own bank. */
export async function startOwnBankSimulator(starting: Starting): Promise<Simulator | null> {
  const { acquirerUrl, bank, environment } = starting.configuration;
  if (environment === 'production' || acquirerUrl !== null || bank.url !== null) return null;
  const lateMilliseconds = bank.timeoutMilliseconds + LATE_BEHIND_TIMEOUT_MILLISECONDS;
  return openSimulator(starting, { program: 'bank', folder: 'bank', lateMilliseconds });
}

/** Under the same conditions as the bank of boletos. */
export async function startOwnPixSimulator(starting: Starting): Promise<Simulator | null> {
  const { acquirerUrl, pix, environment } = starting.configuration;
  if (environment === 'production' || acquirerUrl !== null || pix.url !== null) return null;
  const lateMilliseconds = pix.timeoutMilliseconds + LATE_BEHIND_TIMEOUT_MILLISECONDS;
  return openSimulator(starting, { program: 'pix', folder: 'pix', lateMilliseconds });
}

export type SimulatedAcquirer = { readonly adapter: 'rede' | 'cielo'; readonly url: string };

/** Cielo's decides by amounts, like the others, and not by the last digit of the card, like its sandbox. */
const OWN_OPTIONS = { rede: [], cielo: ['--last-digit', '0'] } as const;

/** The one that `PARCELA_ACQUIRER` names, beside our own. */
export async function startSimulatedAcquirer(starting: Starting): Promise<SimulatedAcquirer | null> {
  const { simulatedAcquirer: adapter, simulatorLateMilliseconds: lateMilliseconds } = starting.configuration;
  if (adapter === null) return null;
  const options = OWN_OPTIONS[adapter];
  const { url } = await openSimulator(starting, {
    program: adapter,
    folder: `simulated-${adapter}`,
    lateMilliseconds,
    options,
  });
  return { adapter, url };
}

async function openSimulator(
  { configuration: { dataFolder }, closings, say, start }: Starting,
  { folder: name, ...wanted }: Omit<Parameters<StartSimulator>[0], 'say'>,
): Promise<Simulator> {
  const { program } = wanted;
  const { noteSimulator, startSimulator } = await import('../homologation/start-simulator.ts');
  const folder = join(dataFolder, name);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const simulator = await (start ?? startSimulator)({ ...wanted, folder, say });
  closings.push({ name: `simulator of the ${program}`, close: () => simulator.stop() });
  closings.push({ name: `address of the ${program}`, close: await noteSimulator(folder, simulator.url) });
  return simulator;
}
