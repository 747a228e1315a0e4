import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTestDatabase, type TestDatabase } from '../kit/database.ts';
import { keyFileIn, rememberKeyFile } from '../kit/keys.ts';
import { logIn } from '../kit/merchant.ts';
import {
  type Auditor,
  databaseSettings,
  openAuditor,
  type Service,
  startService,
  startTestSimulator,
  type TestSimulator,
} from '../kit/service.ts';

/** As `BoletoShop`, on a database that stays while the operator goes from one bank to another. */
export type TurningShop = {
  readonly service: { readonly auditor: Auditor; readonly folder: string; readonly database: TestDatabase };
  readonly url: string;
  readonly token: string;
  readonly accountNumber: string;
  readonly merchantId: string;
};

export type BanksInTurn = {
  /** The simulator: bank 237. */
  readonly first: TestSimulator;
  /** Starts the service anew with this bank; null: without one. */
  open(bankUrl: string | null): Promise<TurningShop>;
  close(): Promise<void>;
};

export async function openBanksInTurn(): Promise<BanksInTurn> {
  const folder = await mkdtemp(join(tmpdir(), 'parcela-banks-'));
  const database = await createTestDatabase({ migrated: true });
  rememberKeyFile(database.address.database, keyFileIn(folder));
  const auditor = openAuditor(database.address);
  const acquirer = await startTestSimulator(join(folder, 'of-operator'));
  const first = await startTestSimulator(join(folder, 'bank-237'), [], 'bank');
  let service: Service | null = null;
  return {
    first,
    async open(bankUrl) {
      await service?.stop();
      service = await startService({
        folder,
        settings: {
          ...databaseSettings(database),
          PARCELA_BANK_CHANGES_SECONDS: '1',
          // Beside an acquirer of the operator's no simulator of a bank is started.
          ...(bankUrl === null ? { PARCELA_ACQUIRER_URL: acquirer.url } : { PARCELA_BANK_URL: bankUrl }),
        },
      });
      const url = service.integrationUrl;
      const token = await logIn(url, (await service.demo()).integration, '/api/authentication/login');
      const [account] = await auditor.query('select merchant_id, account_number from accounts limit 1');
      const { merchant_id, account_number } = account as { merchant_id: string; account_number: string };
      const kept = { auditor, folder, database };
      return { service: kept, url, token, merchantId: merchant_id, accountNumber: account_number };
    },
    async close() {
      await service?.stop();
      await acquirer.stop();
      await first.stop();
      await auditor.close();
      await database.drop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
