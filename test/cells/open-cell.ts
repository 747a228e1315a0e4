import { createMerchant } from '../../src/merchants/create-merchant.ts';
import { createCredential } from '../../src/merchants/credentials/create-credential.ts';
import type { Scope } from '../../src/platform/http/endpoint.ts';
import { openDatabase } from '../../src/platform/postgres/database.ts';
import { type KeySetup, openKeySetup } from '../keys/key-setup.ts';
import { auditedTools, rememberKeyFile } from '../kit/keys.ts';
import type { Service } from '../kit/service.ts';
import { freePort } from '../proxies/proxies.ts';

export type Login = { readonly userName: string; readonly password: string };

/** A database with one merchant and one process, at a port that it keeps over its restarts. */
export type Cell = {
  readonly keys: KeySetup;
  readonly port: number;
  readonly merchantId: string;
  readonly service: () => Service;
  /** SIGTERM, and a new start with these settings. */
  restart(settings: Readonly<Record<string, string>>): Promise<void>;
  newLogin(scope: Scope, cell: string | null): Promise<Login>;
  count(table: string): Promise<number>;
  close(): Promise<void>;
};

export const ACCOUNT = '1000001';

export async function openCell(
  merchantId: string,
  cnpj: string,
  settings: Readonly<Record<string, string>>,
): Promise<Cell> {
  const keys = await openKeySetup();
  const port = await freePort();
  const own = {
    PARCELA_PORT: String(port),
    PARCELA_METRICS_PORT: '0',
    PARCELA_TRUSTED_PROXIES: '127.0.0.1',
    ...settings,
  };
  // It makes the keys that the commands below seal their entries with.
  let service = await keys.startService(own);
  const database = openDatabase(keys.database.runtime, () => {});
  rememberKeyFile(keys.database.address.database, keys.keyFile);
  const tools = await auditedTools(database);
  const created = await createMerchant(tools, {
    ...{ merchantId, cnpj, legalName: 'Loja Ltda.', accountNumbers: [ACCOUNT] },
    contact: { name: 'Ana', email: 'ana@loja.example', phone: '+55 11 4000 0000' },
    ...{ productionAddresses: [], softDescriptor: null, businessAddress: null },
  });
  if ('refusal' in created) throw new Error(created.refusal);
  return {
    keys,
    port,
    merchantId,
    service: () => service,
    async restart(changed) {
      await service.stop();
      service = await keys.startService({ ...own, ...changed });
    },
    async newLogin(scope, cell) {
      const made = await createCredential(
        { ...tools, cell, enforceAddresses: false },
        { merchantId, accountNumber: null, userName: null, scopes: [scope], allowedAddresses: [] },
      );
      if ('refusal' in made) throw new Error(made.refusal);
      return { userName: made.credential.userName, password: made.password };
    },
    async count(table) {
      const [row] = await keys.auditor.query(`select count(*)::int as "count" from ${table}`);
      return row?.count as number;
    },
    async close() {
      await database.close();
      await keys.close();
    },
  };
}
