import { randomUUID } from 'node:crypto';
import { deliveryId } from '../../src/webhooks/deliveries/delivery.ts';
import { type CallOptions, call, logIn, type Reply } from '../kit/merchant.ts';
import { openTestService, type TestRows, type TestService } from '../kit/service.ts';

/** A service, and two merchants who look at their deliveries. */
export type HistoryService = TestService & {
  readonly merchantId: string;
  readonly accountNumber: string;
  /** Another account of the same merchant. */
  readonly otherAccount: string;
  /** Asks as the merchant, or as another one. */
  ask(path: string, options?: CallOptions): Promise<Reply>;
  askAsForeign(path: string, options?: CallOptions): Promise<Reply>;
};

export const FOREIGN_MERCHANT = 'OUTRA';
export const FOREIGN_ACCOUNT = '2000001';

export async function openHistoryService(
  settings: Readonly<Record<string, string>> = {},
): Promise<HistoryService> {
  const service = await openTestService(settings);
  const { merchantId, accountNumber, integration } = await service.demo();
  const { auditor, integrationUrl } = service;
  await auditor.query(
    `insert into merchants select (jsonb_populate_record(m, $1)).* from merchants m where merchant_id = $2`,
    [JSON.stringify({ merchant_id: FOREIGN_MERCHANT }), merchantId],
  );
  await auditor.query(
    `insert into accounts (merchant_id, account_number, position) values ($1, $2, 1), ($3, '1000002', 2)`,
    [FOREIGN_MERCHANT, FOREIGN_ACCOUNT, merchantId],
  );
  const foreign = { userName: 'outra-loja', password: integration.password };
  const changed = {
    merchant_id: FOREIGN_MERCHANT,
    account_number: FOREIGN_ACCOUNT,
    credential_id: randomUUID(),
    user_name: foreign.userName,
  };
  await auditor.query(
    'insert into credentials select (jsonb_populate_record(c, $2)).* from credentials c where c.user_name = $1',
    [integration.userName, JSON.stringify(changed)],
  );
  const token = await logIn(integrationUrl, integration, '/api/authentication/login');
  const foreignToken = await logIn(integrationUrl, foreign, '/api/authentication/login');
  return {
    ...service,
    merchantId,
    accountNumber,
    otherAccount: '1000002',
    ask: (path, options) => call(integrationUrl, path, { token, ...options }),
    askAsForeign: (path, options) => call(integrationUrl, path, { token: foreignToken, ...options }),
  };
}

/** Registers an address for an account, as it stands in the table. */
export async function plantEndpoint(
  { auditor, merchantId }: Pick<HistoryService, 'auditor' | 'merchantId'>,
  accountNumber: string,
  url: string,
  change: Readonly<Record<string, unknown>> = {},
): Promise<void> {
  const row = {
    merchant_id: merchantId,
    endpoint: `account:${accountNumber}`,
    url,
    state: 'active',
    openings: 0,
    registration: 1,
    created_at: new Date(),
    changed_at: new Date(),
    created_by: 'test',
    ...change,
  };
  const columns = Object.keys(row).join(', ');
  await auditor.query(
    `insert into webhook_endpoints (${columns}) select ${columns} from jsonb_populate_record(null::webhook_endpoints, $1)
     on conflict (merchant_id, endpoint) do update set url = excluded.url, state = excluded.state,
       opened_until = excluded.opened_until, openings = excluded.openings, failing_since = excluded.failing_since,
       returned_at = excluded.returned_at, registration = excluded.registration`,
    [JSON.stringify(row)],
  );
}

/** Writes a delivery as the commit of a change and the engine would have left it; gives its id. */
export async function plantDelivery(
  { auditor, merchantId }: Pick<HistoryService, 'auditor' | 'merchantId'>,
  accountNumber: string,
  change: Readonly<Record<string, unknown>> = {},
): Promise<string> {
  const state = change.state ?? 'delivered';
  const createdAt = (change.created_at as Date | undefined) ?? new Date();
  const [sequence] = await auditor.query(`select nextval('movement_ids')::int as number`);
  const deliveryNumber = (sequence as { number: number }).number;
  const row = {
    merchant_id: merchantId,
    delivery_number: deliveryNumber,
    kind: 'movement',
    endpoint: `account:${accountNumber}`,
    account_number: accountNumber,
    transaction_id: randomUUID(),
    installment_number: 1,
    nsu: '1000000042',
    body: `{"movementId":${deliveryNumber}}`,
    state,
    tries: 0,
    tries_before: 0,
    due_at: state === 'waiting' ? createdAt : null,
    scheduled_at: createdAt,
    fence: 0,
    created_at: createdAt,
    ended_at: state === 'waiting' ? null : createdAt,
    ...change,
  };
  await auditor.query(`insert into deliveries select * from jsonb_populate_record(null::deliveries, $1)`, [
    JSON.stringify(row),
  ]);
  return deliveryId({ createdAt: createdAt.getTime(), deliveryNumber });
}

export async function deliveryRow(
  { auditor, merchantId }: Pick<HistoryService, 'auditor' | 'merchantId'>,
  id: string,
): Promise<TestRows[number]> {
  const number = Number.parseInt(id.slice(24), 16);
  const [row] = await auditor.query(
    'select * from deliveries where merchant_id = $1 and delivery_number = $2',
    [merchantId, number],
  );
  if (row === undefined) throw new Error(`there is no delivery ${id}`);
  return row;
}

export const daysAgo = (days: number): Date => new Date(Date.now() - days * 86_400_000);
