import { join } from 'node:path';
import { runParcela } from '../../test/installing/run-parcela.ts';
import { rememberKeyFile } from '../../test/kit/keys.ts';
import { MORE_SHOPS, type Shop } from '../chaos-bench.ts';

const FIRST = { merchantId: '01700555550000', accountNumber: '1000001', cnpj: '11.222.333/0001-81' };

/** Merchants and their logins as an operator of that version makes them, by its own commands. */
export async function shopsOfRelease(
  release: string,
  settings: Readonly<Record<string, string>>,
  { database, keyFile }: { readonly database: string; readonly keyFile: string },
): Promise<Shop[]> {
  rememberKeyFile(database, keyFile);
  const command = async (words: readonly string[]) => {
    const program = join(release, 'src/cli/parcela.ts');
    const { code, printed, said } = await runParcela([program, ...words], settings, process.execPath);
    if (code !== 0)
      throw new Error(`${words.slice(0, 2).join(' ')} of that version ended with ${code}: ${said}`);
    return printed;
  };
  // The first command migrates, and makes the keys.
  const first = await openShop(command, FIRST);
  return [first, ...(await Promise.all(MORE_SHOPS.map((shop) => openShop(command, shop))))];
}

async function openShop(
  command: (words: readonly string[]) => Promise<string>,
  { merchantId, accountNumber, cnpj }: typeof FIRST,
): Promise<Shop> {
  await command([
    ...['merchant', 'create', '--merchant-id', merchantId, '--cnpj', cnpj, '--legal-name', 'Loja Ltda.'],
    ...['--account', accountNumber, '--contact-name', 'Ana', '--contact-email', 'ana@loja.example'],
    ...['--contact-phone', '1140000000'],
  ]);
  const scopes = ['gateway', 'integration', 'recurrence'].flatMap((scope) => ['--scope', scope]);
  const made = await command(['credential', 'create', '--merchant', merchantId, ...scopes, '--json']);
  const { userName, password } = JSON.parse(made) as { userName: string; password: string };
  const login = { userName, password };
  return { merchantId, accountNumber, login, integration: login, recurrence: login };
}
