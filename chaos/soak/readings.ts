import type { ChaosBench } from '../chaos-bench.ts';
import type { Gateway } from '../gateways.ts';

/** One service at one moment. */
export type Reading = {
  readonly residentBytes: number;
  /** Behind a collection. */
  readonly heapBytes: number;
  readonly descriptors: number;
  /** Connections to the database, and how many it may have. */
  readonly connections: number;
  readonly mostConnections: number;
  /** Since its start: answers of 500 and more, errors of works and of the database, by what they name. */
  readonly errors: ReadonlyMap<string, number>;
  readonly requests: number;
};

/** All services at one moment, and what the database keeps of dead rows. */
export type Window = {
  readonly minute: number;
  readonly services: readonly Reading[];
  /** The table with most dead rows among those with more dead rows than live ones. */
  readonly bloated: { readonly table: string; readonly dead: number } | null;
  readonly deadRows: number;
  readonly databaseBytes: number;
};

/**
 * Another process was first, or a key was there: the statement is made for it. What a busy machine keeps from
 * its connection is tried again, and counts where an answer or a work fails for it.
 */
const EXPECTED_KINDS = ['lock', 'deadlock', 'serialization', 'constraint', 'passing', 'unavailable'];
const COLLECTED_MILLISECONDS = 1_000;

/** Has the services collect their garbage, and reads what is left. */
export async function readWindow(
  bench: ChaosBench,
  gateways: readonly Gateway[],
  minute: number,
): Promise<Window> {
  for (const gateway of gateways) gateway.signal('SIGUSR2');
  await new Promise((wake) => setTimeout(wake, COLLECTED_MILLISECONDS));
  const services = await Promise.all(gateways.map(readService));
  const tables = await bench.query(
    `select relname as table, n_dead_tup::int as dead, n_live_tup::int as live,
       pg_database_size(current_database())::float8 as size
     from pg_stat_user_tables order by n_dead_tup desc`,
  );
  const bloated = tables.find(({ dead, live }) => Number(dead) > Number(live));
  return {
    minute,
    services,
    bloated: bloated === undefined ? null : { table: String(bloated.table), dead: Number(bloated.dead) },
    deadRows: tables.reduce((sum, { dead }) => sum + Number(dead), 0),
    databaseBytes: Number(tables[0]?.size ?? 0),
  };
}

async function readService({ metricsUrl }: Gateway): Promise<Reading> {
  const text = await (await fetch(metricsUrl)).text();
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  const samples = lines.map((line) => {
    const [, name = '', labels = '', value] = /^(\w+)(?:\{(.*)\})? (\S+)/.exec(line) ?? [];
    return { name, labels, value: Number(value) };
  });
  const sum = (name: string, holds = '') =>
    samples
      .filter((sample) => sample.name === name && sample.labels.includes(holds))
      .reduce((all, { value }) => all + value, 0);
  const errors = new Map<string, number>();
  for (const { name, labels, value } of samples) {
    const isError =
      (name === 'http_server_request_duration_seconds_count' && /status_code="5/.test(labels)) ||
      name === 'parcela_work_errors_total' ||
      name === 'parcela_billings_sent_again_often_total' ||
      name === 'parcela_seal_alarms_total' ||
      name === 'parcela_audit_unwritten_total' ||
      (name === 'parcela_database_errors_total' && !EXPECTED_KINDS.some((kind) => labels.includes(kind)));
    if (isError && value > 0) errors.set(`${name}{${labels}}`, value);
  }
  return {
    residentBytes: sum('process_resident_memory_bytes'),
    heapBytes: sum('nodejs_heap_size_used_bytes'),
    descriptors: sum('process_open_fds'),
    connections: sum('db_client_connection_count'),
    mostConnections: sum('db_client_connection_max'),
    errors,
    requests: sum('http_server_request_duration_seconds_count'),
  };
}
