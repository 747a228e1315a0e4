import type { ShippedLine } from '../../audit/shipped-line.ts';
import { type Reader, statement, type Tx } from '../../platform/postgres/database.ts';
import { inputRows } from '../../platform/postgres/input-rows.ts';
import { column, rowCodec } from '../../platform/postgres/row-codec.ts';
import { PROVIDER_KINDS, type Provider, providerText } from '../../providers/provider.ts';
import { listProviders } from '../../providers/providers.sql.ts';
import type { RestoreRun } from './restored-charge.ts';

type LostProvider = Pick<Provider, 'kind' | 'name'>;

/** null: another kind of line. */
export function lostProviderOf({ action, resource }: ShippedLine): LostProvider | null {
  const [, written, name] = resource.split('/');
  const kind = PROVIDER_KINDS.find((one) => one === written);
  return action === 'provider.add' && kind !== undefined && name !== undefined ? { kind, name } : null;
}

const LINES = inputRows<ShippedLine>({
  audit_seal: ['bytea', ({ seal }) => Buffer.from(seal, 'hex')],
  kind: ['text', (line) => lostProviderOf(line)?.kind ?? null],
  name: ['text', (line) => lostProviderOf(line)?.name ?? null],
});

const NOTE = statement(
  'restore_lost_providers.note',
  `insert into restore_lost_providers (${LINES.names}) select ${LINES.selected} from ${LINES.sql} on conflict do nothing`,
);

export async function noteLostProviders(tx: Tx, lines: readonly ShippedLine[]): Promise<void> {
  const named = lines.filter((line) => lostProviderOf(line) !== null);
  if (named.length > 0) await tx.query(NOTE, LINES.values(named));
}

const LOST = rowCodec<LostProvider>({ kind: column.oneOf(PROVIDER_KINDS), name: column.text() });

const LIST = statement(
  'restore_lost_providers.list',
  `select distinct ${LOST.columns} from restore_lost_providers
   where noted_at > coalesce((select stamped_at from database_stamp), '-infinity')
   order by kind, name`,
);

/** Providers that shipped lines of the lost time name and that are not here. */
export async function findAbsentProviders(reader: Reader): Promise<string[]> {
  const lost = (await reader.query(LIST, [])).map(LOST.parse).map(providerText);
  const here = (await listProviders(reader)).map(providerText);
  return lost.filter((one) => !here.includes(one));
}

/** Acquirers and Pix banks that were missing when `run` began; without a run, all. */
export async function findUnwalked(reader: Reader, run: RestoreRun | null): Promise<string[]> {
  const here = (await listProviders(reader)).filter(({ kind }) => kind === 'acquirer' || kind === 'pix');
  const walked = [...(run?.providers ?? []), ...(run?.unlisted ?? [])];
  return here.map(providerText).filter((one) => !walked.includes(one));
}
