import { createMerchant } from '../../src/merchants/create-merchant.ts';
import { createCredential } from '../../src/merchants/credentials/create-credential.ts';
import type { Scope } from '../../src/platform/http/endpoint.ts';
import { openDatabase } from '../../src/platform/postgres/database.ts';
import { cheapen } from './cheap-password.ts';
import type { TestDatabase } from './database.ts';
import { auditedTools, type KeysOf } from './keys.ts';

export type Login = { readonly userName: string; readonly password: string };

export type WantedMerchant = {
  readonly merchantId: string;
  readonly accountNumbers: readonly string[];
  /** One credential for each list of scopes. */
  readonly credentials: readonly (readonly Scope[])[];
  /** Where production lets it call from. */
  readonly addresses?: readonly string[];
};

/**
 * Registers a merchant with its credentials by the operations that `parcela merchant create` and
 * `parcela credential create` call, without a process for each; gives the logins in their order.
 */
export async function makeMerchant(
  { runtime }: Pick<TestDatabase, 'runtime'>,
  { merchantId, accountNumbers, credentials, addresses = [] }: WantedMerchant,
  keysOf: KeysOf = {},
): Promise<Login[]> {
  const pool = openDatabase(runtime, () => {});
  try {
    const tools = await auditedTools(pool, keysOf);
    const created = await createMerchant(tools, {
      merchantId,
      cnpj: '11.222.333/0001-81',
      legalName: 'Padaria São João Ltda.',
      contact: { name: 'Ana Souza', email: 'ana@padaria.example', phone: '+55 11 4000-0000' },
      accountNumbers,
      productionAddresses: addresses,
      softDescriptor: null,
      businessAddress: null,
    });
    if ('refusal' in created) throw new Error(`${merchantId}: ${created.refusal} ${created.value}`);
    const beside = { enforceAddresses: keysOf.environment === 'production' };
    const logins: Login[] = [];
    for (const scopes of credentials) {
      const wanted = { merchantId, accountNumber: null, userName: null, scopes, allowedAddresses: [] };
      const made = await createCredential({ ...tools, ...beside }, wanted);
      if ('refusal' in made) throw new Error(`${merchantId}: ${made.refusal} ${made.value}`);
      const login = { userName: made.credential.userName, password: made.password };
      await cheapen(pool, login);
      logins.push(login);
    }
    return logins;
  } finally {
    await pool.close();
  }
}
