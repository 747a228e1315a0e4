import { readFile, rename, writeFile } from 'node:fs/promises';
import type { Actor, Audit } from '../src/audit/audit-event.ts';
import { createMerchant } from '../src/merchants/create-merchant.ts';
import { createCredential } from '../src/merchants/credentials/create-credential.ts';
import { listMerchantCredentials } from '../src/merchants/credentials/credentials.sql.ts';
import type { Scope } from '../src/platform/http/endpoint.ts';
import type { Database } from '../src/platform/postgres/database.ts';

export type DemoLogin = { readonly userName: string; readonly password: string };

/** The content of `demo.json`: everything for a first payment. */
export type Demo = {
  readonly gatewayUrl: string;
  readonly integrationUrl: string;
  readonly merchantId: string;
  readonly accountNumber: string;
  readonly gateway: DemoLogin;
  readonly recurrence: DemoLogin;
  readonly integration: DemoLogin;
};

export const DEMO_MERCHANT = {
  merchantId: '01700555550000',
  cnpj: '11.222.333/0001-81',
  legalName: 'Loja de Demonstração Ltda.',
  contact: { name: 'Equipe de Demonstração', email: 'demo@example.com', phone: '+55 11 4000 0000' },
  accountNumbers: ['1000001'],
  productionAddresses: [],
  softDescriptor: null,
  businessAddress: null,
};
const LOGINS = ['gateway', 'recurrence', 'integration'] as const satisfies readonly Scope[];

export type DemoTools = {
  readonly database: Database;
  readonly audit: Audit;
  readonly operator: Actor;
  readonly cell: string | null;
};

/** Keeps passwords of an earlier start and updates the addresses. Gives whether credentials were made. */
export async function createDemoMerchant(
  tools: DemoTools,
  file: string,
  urls: Pick<Demo, 'gatewayUrl' | 'integrationUrl'>,
): Promise<boolean> {
  const earlier = await readDemo(file);
  await createMerchant(tools, DEMO_MERCHANT);
  const credentials = await listMerchantCredentials(tools.database, DEMO_MERCHANT.merchantId);
  const userNames = new Set(
    credentials.filter((credential) => credential.disabledAt === null).map(({ userName }) => userName),
  );
  let isNew = false;
  const logins: Partial<Record<Scope, DemoLogin>> = {};
  for (const scope of LOGINS) {
    const kept = earlier?.[scope];
    // A file of another database names unknown users.
    const isKnown = kept !== undefined && userNames.has(kept.userName);
    logins[scope] = isKnown ? kept : await createLogin(tools, scope);
    isNew ||= !isKnown;
  }
  const accountNumber = DEMO_MERCHANT.accountNumbers[0];
  const { gatewayUrl, integrationUrl } = urls;
  const demo = { gatewayUrl, integrationUrl, merchantId: DEMO_MERCHANT.merchantId, accountNumber, ...logins };
  const draft = `${file}.new`;
  await writeFile(draft, `${JSON.stringify(demo, null, 2)}\n`, { mode: 0o600 });
  await rename(draft, file);
  return isNew;
}

async function readDemo(file: string): Promise<Demo | null> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as Demo;
  } catch {
    // Missing or damaged: made again, with new passwords.
    return null;
  }
}

async function createLogin(tools: DemoTools, scope: Scope): Promise<DemoLogin> {
  const wanted = {
    merchantId: DEMO_MERCHANT.merchantId,
    accountNumber: null,
    userName: null,
    scopes: [scope],
    allowedAddresses: [],
  };
  const made = await createCredential({ ...tools, enforceAddresses: false }, wanted);
  if ('refusal' in made) throw new Error(`the demo credential was refused: ${made.refusal} ${made.value}`);
  return { userName: made.credential.userName, password: made.password };
}
