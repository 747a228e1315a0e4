import { writeFile } from 'node:fs/promises';
import type { Service } from '../../test/kit/service.ts';
import { type Cell, printTable } from '../table.ts';
import { type CpuProfile, IDLE, timeByFunction, timeByPart } from './cpu-profile.ts';
import { inspect } from './inspector.ts';
import { threadTimes } from './processes.ts';

const SAMPLING_MICROSECONDS = 200;
const MOST_FUNCTIONS = 25;

/**
 * Microseconds of the service's main thread by part of the work, for each of what `act` did (it gives how
 * many). `PROFILE=folder` keeps the profile under this name, for a viewer, and prints the functions that
 * took most.
 */
export async function profileGateway(
  service: Service,
  name: string,
  act: () => Promise<number>,
): Promise<ReadonlyMap<string, number>> {
  const processId = service.process.pid ?? 0;
  const { profile, spentEach } = await inspect(service, async ({ send }) => {
    await send('Profiler.enable');
    await send('Profiler.setSamplingInterval', { interval: SAMPLING_MICROSECONDS });
    await send('Profiler.start');
    const before = threadTimes(processId).main;
    const count = await act();
    const spent = (threadTimes(processId).main - before) * 1e6;
    const { profile } = (await send('Profiler.stop')) as { profile: CpuProfile };
    return { profile, spentEach: spent / count };
  });
  await keepProfile(name, profile);
  const times = timeByPart(profile);
  times.delete(IDLE);
  const sampled = [...times.values()].reduce((sum, time) => sum + time, 0);
  // Samples count time on the clock, also while another process had the core: the shares are
  // theirs, the sum the kernel's.
  return new Map([...times].map(([part, time]) => [part, (time / sampled) * spentEach]));
}

async function keepProfile(name: string, profile: CpuProfile): Promise<void> {
  const folder = process.env.PROFILE;
  if (folder === undefined) return;
  await writeFile(`${folder}/${name}.cpuprofile`, JSON.stringify(profile));
  const times = timeByFunction(profile);
  times.delete('(idle)');
  const all = [...times.values()].reduce((sum, time) => sum + time, 0);
  const most = [...times].sort(([, one], [, other]) => other - one).slice(0, MOST_FUNCTIONS);
  printTable(
    [`functions, "${name}"`, 'share'],
    most.map(([text, time]) => [text, `${((time / all) * 100).toFixed(1)} %`]),
  );
}

/** One column for each profile, the dearest part first. */
export function printParts(profiles: ReadonlyMap<string, ReadonlyMap<string, number>>): void {
  const all = [...profiles.values()];
  const names = [...new Set(all.flatMap((times) => [...times.keys()]))];
  const total = (name: string) => all.reduce((sum, times) => sum + (times.get(name) ?? 0), 0);
  const rows = names
    .sort((one, other) => total(other) - total(one))
    .map((name): Cell[] => [name, ...all.map((times) => Math.round(times.get(name) ?? 0))]);
  const sums = all.map((times) => Math.round([...times.values()].reduce((sum, time) => sum + time, 0)));
  printTable(['part', ...profiles.keys()], [...rows, ['sum', ...sums]]);
}
