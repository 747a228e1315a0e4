import { randomUUID } from 'node:crypto';
import { type CallOptions, call, logIn, type Reply } from '../client.ts';
import { openTestHouse, type TestHouse } from '../running-house.ts';

/** A service, and two merchants who look at their billings. */
export type BillingHouse = TestHouse & {
  readonly merchantId: string;
  readonly userName: string;
  ask(path: string, options?: CallOptions): Promise<Reply>;
  askAsForeign(path: string, options?: CallOptions): Promise<Reply>;
};

export const FOREIGN_MERCHANT = 'OUTRA';

export async function openBillingHouse(): Promise<BillingHouse> {
  const house = await openTestHouse();
  const { merchantId, recurrence } = await house.demo();
  const { auditor, gatewayUrl } = house;
  await auditor.query(
    `insert into merchants select (jsonb_populate_record(m, $1)).* from merchants m where merchant_id = $2`,
    [JSON.stringify({ merchant_id: FOREIGN_MERCHANT }), merchantId],
  );
  await auditor.query(
    `insert into accounts (merchant_id, account_number, position) values ($1, '2000001', 1)`,
    [FOREIGN_MERCHANT],
  );
  const foreign = { userName: 'outra-loja', password: recurrence.password };
  const changed = {
    merchant_id: FOREIGN_MERCHANT,
    account_number: '2000001',
    credential_id: randomUUID(),
    user_name: foreign.userName,
  };
  await auditor.query(
    'insert into credentials select (jsonb_populate_record(c, $2)).* from credentials c where c.user_name = $1',
    [recurrence.userName, JSON.stringify(changed)],
  );
  const token = await logIn(gatewayUrl, recurrence);
  const foreignToken = await logIn(gatewayUrl, foreign);
  return {
    ...house,
    merchantId,
    userName: recurrence.userName,
    ask: (path, options) => call(gatewayUrl, path, { token, ...options }),
    askAsForeign: (path, options) => call(gatewayUrl, path, { token: foreignToken, ...options }),
  };
}
