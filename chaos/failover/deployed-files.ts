import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Machine, PORTS } from './network.ts';

const FOLDER = fileURLToPath(new URL('../../deploy/patroni/', import.meta.url));
const FIRST = '10.0.0.11';
const DOCUMENTED_HOSTS = [FIRST, '10.0.0.12', '10.0.0.13'] as const;

/** What stands in a file, and what of this run takes its place. */
export type Places = Readonly<Record<string, string>>;
/** Where the machines of a run are. */
export type Addressed = Pick<Machine, 'host' | 'ports'>;

/** A file of deploy/patroni for this run. `own`: the machine that it is for; null: one file for all. */
export async function deployedFile(
  file: 'etcd.yml' | 'patroni.yml' | 'haproxy.cfg',
  own: Addressed | null,
  machines: readonly Addressed[],
  places: Places,
): Promise<string> {
  const text = await readFile(join(FOLDER, file), 'utf8');
  return adapted({ file, text }, own, machines, places);
}

/** Throws where something would be left that leads elsewhere, or is not there to be replaced. */
export function adapted(
  { file, text }: { readonly file: string; readonly text: string },
  own: Addressed | null,
  machines: readonly Addressed[],
  places: Places,
): string {
  const missing = Object.keys(places).find((from) => !text.includes(from));
  if (missing !== undefined) throw new Error(`deploy/patroni/${file} has no ${missing} any more`);
  const lines = text.split('\n').map((line) => {
    const isOfAll = own === null || line.includes(DOCUMENTED_HOSTS[1]);
    const changed = isOfAll
      ? DOCUMENTED_HOSTS.reduce(
          (part, host, index) => addressed(part, host, machines[index] as Addressed),
          line,
        )
      : addressed(line, FIRST, own);
    return Object.entries(places).reduce((part, [from, to]) => part.replaceAll(from, to), changed);
  });
  const left = lines.find((line) => !line.trimStart().startsWith('#') && line.includes('10.0.0.'));
  if (left !== undefined) throw new Error(`deploy/patroni/${file} leads elsewhere: ${left}`);
  return lines.join('\n');
}

function addressed(text: string, host: string, machine: Addressed): string {
  if (!text.includes(host)) return text;
  const looked = text.replace(`check port ${PORTS.rest}`, `check port ${machine.ports.rest}`);
  return (Object.keys(PORTS) as (keyof typeof PORTS)[]).reduce(
    (line, name) => line.replaceAll(`${host}:${PORTS[name]}`, `${machine.host}:${machine.ports[name]}`),
    looked,
  );
}
