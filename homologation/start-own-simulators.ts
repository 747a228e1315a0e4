import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Closing } from '../src/platform/closings.ts';
import { noteSimulator, type Simulator, type StartSimulator, startSimulator } from './start-simulator.ts';

/** How long after our time-out a late answer of a simulator comes. */
const LATE_BEHIND_TIMEOUT_MILLISECONDS = 2_000;

type OtherSide = { readonly url: string | null; readonly timeoutMilliseconds: number };

type Starting = {
  readonly configuration: {
    readonly dataFolder: string;
    readonly acquirerUrl: string | null;
    readonly bank: OtherSide;
    readonly pix: OtherSide;
    readonly simulatorLateMilliseconds: number;
    readonly simulatedAcquirer: 'rede' | 'cielo' | null;
  };
  readonly closings: Closing[];
  readonly say: (line: string) => void;
  /** Default: simulators are separate programs. */
  readonly start: StartSimulator | undefined;
};

export type SimulatedAcquirer = { readonly adapter: 'rede' | 'cielo'; readonly url: string };

export type OwnSimulators = {
  readonly acquirer: Simulator | null;
  readonly bank: Simulator | null;
  readonly pix: Simulator | null;
  readonly simulatedAcquirer: SimulatedAcquirer | null;
};

/** Where the settings name no acquirer: its simulator, and those of the banks that they do not name. */
export async function startOwnSimulators(starting: Starting): Promise<OwnSimulators> {
  const { acquirerUrl, bank, pix, simulatorLateMilliseconds } = starting.configuration;
  // Beside a real acquirer there may be several processes, and each would have its own bank.
  const isOurs = acquirerUrl === null;
  const startBank = async (program: 'bank' | 'pix', { url, timeoutMilliseconds }: OtherSide) => {
    if (!isOurs || url !== null) return null;
    const lateMilliseconds = timeoutMilliseconds + LATE_BEHIND_TIMEOUT_MILLISECONDS;
    return openSimulator(starting, { program, folder: program, lateMilliseconds });
  };
  const startAcquirer = async () =>
    isOurs
      ? openSimulator(starting, {
          program: 'acquirer',
          folder: 'simulator',
          lateMilliseconds: simulatorLateMilliseconds,
        })
      : null;
  const started = [
    startAcquirer(),
    startBank('bank', bank),
    startBank('pix', pix),
    startSimulatedAcquirer(starting),
  ] as const;
  // If one fails the others are closed, so all must have ended.
  await Promise.allSettled(started);
  const [ofAcquirer, ofBank, ofPix, simulatedAcquirer] = await Promise.all(started);
  return { acquirer: ofAcquirer, bank: ofBank, pix: ofPix, simulatedAcquirer };
}

/** Cielo's decides by amounts, as the others do, and not by the last digit of the card, as its sandbox. */
const OWN_OPTIONS = { rede: [], cielo: ['--last-digit', '0'] } as const;

/** The one that `PARCELA_ACQUIRER` names, beside our own. */
async function startSimulatedAcquirer(starting: Starting): Promise<SimulatedAcquirer | null> {
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
  const folder = join(dataFolder, name);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const simulator = await (start ?? startSimulator)({ ...wanted, folder, say });
  closings.push({ name: `simulator of the ${program}`, close: () => simulator.stop() });
  closings.push({ name: `address of the ${program}`, close: await noteSimulator(folder, simulator.url) });
  return simulator;
}
