import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runParcela } from '../audit/audit-service.ts';
import { createForeignMerchant, FOREIGN_MERCHANT, FOREIGN_USER } from '../kit/foreign-merchant.ts';
import { call, cpfOf, logIn, paymentRequest, type Reply, tokenize } from '../kit/merchant.ts';
import {
  databaseSettings,
  type OpenedService,
  openService,
  openTestService,
  type TestService,
} from '../kit/service.ts';

export const FOREIGN = FOREIGN_MERCHANT;

/** A buyer; every text of it is its own, so that any of them is found wherever it stands. */
export type Person = { readonly document: string; readonly masked: string; readonly customer: Customer };
type Customer = Readonly<Record<string, string>>;
type Settings = Readonly<Record<string, string>>;

export type PrivacyService = TestService & {
  readonly merchantId: string;
  readonly accountNumber: string;
  readonly token: string;
  readonly foreignToken: string;
  readonly integrationToken: string;
  /** `parcela …` as a process of its own. */
  parcela(...words: string[]): ReturnType<typeof runParcela>;
  /** The same, which must succeed, as it prints JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into answers of every shape.
  printed(...words: string[]): Promise<any>;
  /** Pays as the demo merchant, or with another token; gives the id. */
  pay(customer: Customer, change?: Readonly<Record<string, unknown>>, token?: string): Promise<string>;
  read(paymentId: string, token?: string): Promise<Reply>;
  /** Another process on the same database, as long as it is looked at. */
  whileBeside(settings: Settings, look: (beside: OpenedService) => Promise<void>): Promise<void>;
};

export async function openPrivacyService(settings: Settings = {}): Promise<PrivacyService> {
  const service = await openTestService({ PARCELA_CHARGES_AT_ONCE: '0', ...settings });
  const demo = await service.demo();
  await createForeignMerchant(service.auditor, demo.gateway.userName);
  const token = await logIn(service.gatewayUrl, demo.gateway);
  const parcela: PrivacyService['parcela'] = (...words) =>
    runParcela(service.database, service.folder, words);
  return {
    ...service,
    merchantId: demo.merchantId,
    accountNumber: demo.accountNumber,
    token,
    foreignToken: await logIn(service.gatewayUrl, {
      userName: FOREIGN_USER,
      password: demo.gateway.password,
    }),
    integrationToken: await logIn(service.integrationUrl, demo.integration, '/api/authentication/login'),
    parcela,
    async printed(...words) {
      const { exitCode, printed, errors } = await parcela(...words, '--json');
      assert.equal(exitCode, 0, errors + printed);
      return JSON.parse(printed);
    },
    async pay(customer, change = {}, as = token) {
      const numberToken = await tokenize(service.gatewayUrl, as);
      const body = paymentRequest(numberToken, 1_990, { customer, ...change });
      const reply = await call(service.gatewayUrl, '/v1/payments', { token: as, body });
      assert.equal(reply.status, 200, reply.text);
      return reply.body.paymentAuthorization.paymentId as string;
    },
    read: (paymentId, as = token) => call(service.gatewayUrl, `/v1/payments/${paymentId}`, { token: as }),
    whileBeside: async (change, look) => {
      const folder = await mkdtemp(join(tmpdir(), 'parcela-beside-'));
      await cp(join(service.folder, 'keys'), join(folder, 'keys'), { recursive: true });
      const settings = { ...databaseSettings(service.database), ...change };
      const beside = await openService({ folder, settings });
      try {
        await look(beside);
      } finally {
        await beside.stop();
        await rm(folder, { recursive: true, force: true });
      }
    },
  };
}

let persons = 0;

/** A person that no other test has. */
export function newPerson(): Person {
  persons += 1;
  const document = cpfOf(200_000 + persons);
  const mark = randomUUID().slice(0, 8);
  return {
    document,
    masked: document.replace(/^(...)(...)(...)(..)$/, '$1.$2.$3-$4'),
    customer: {
      documentType: 'cpf',
      documentNumber: document,
      firstName: `Marina${mark}`,
      lastName: `Teixeira${mark}`,
      email: `marina.${mark}@cliente.example`,
      phoneNumber: `119${mark.replace(/\D/g, '7').slice(0, 8)}`,
      address: `Rua ${mark}, 12`,
    },
  };
}

/** Where any text of the person stands in the database, as `table: text`. */
export async function tracesOf({ auditor }: PrivacyService, { masked, customer }: Person): Promise<string[]> {
  const { documentType: _, ...texts } = customer;
  const needles = [...Object.values(texts), masked].flatMap((text) => [
    text.toLowerCase(),
    Buffer.from(text).toString('hex'),
  ]);
  const tables = await auditor.query(
    `select relname as name from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace`,
  );
  const traces: string[] = [];
  for (const { name } of tables) {
    const rows = await auditor.query(
      `select n as needle from unnest($1::text[]) n
       where exists (select from ${name} t where strpos(lower(to_jsonb(t)::text), n) > 0)`,
      [needles],
    );
    traces.push(...rows.map(({ needle }) => `${name}: ${needle}`));
  }
  return traces;
}
