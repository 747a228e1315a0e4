import { type Limit, type LimitAddress, runPgbench } from '../load/limit.ts';
import { type DueLoader, subscriptionIdOf, type WantedDue } from './load-due.ts';

/**
 * Enough that the rows of one client stay far from those of another; a client begins again with its
 * first when it had all.
 */
const SUBSCRIPTIONS_A_CLIENT = 1_000;
/** The engine does not charge them: they fall due when this bench is long over. */
const FAR_DAYS = 20_000;
export const MOST_LIMIT_CLIENTS = 64;

export type ChargingLimit = {
  /** Charges per second with so many clients. */
  measure(clients: number, seconds: number): Promise<Limit>;
};

/**
 * pgbench writing the rows of a billing's charge in the same two durable commits, one charge after
 * the other in each client, with nothing around them:
 * it finds no due day, locks no subscription, opens no card and asks no acquirer.
 */
export async function openChargingLimit(
  address: LimitAddress,
  loader: DueLoader,
  now: number,
): Promise<ChargingLimit> {
  const wanted: WantedDue = {
    now,
    due: SUBSCRIPTIONS_A_CLIENT * MOST_LIMIT_CLIENTS,
    ahead: 0,
    paidBefore: 1,
    inDays: FAR_DAYS,
  };
  const { first } = await loader.load(wanted);
  await loader.vacuum();
  const script = scriptOf(loader, wanted, first);
  return {
    measure: (clients, seconds) => runPgbench(address, [script], clients, seconds, { turn: 0 }),
  };
}

/** Two statements, each a commit of its own. */
function scriptOf(
  { merchantIds: [merchantId = ''], plan }: DueLoader,
  wanted: WantedDue,
  first: number,
): string {
  const start = subscriptionIdOf(wanted, 0).slice(0, 24);
  const lines = [
    '\\set turn :turn + 1',
    `\\set number :client_id * ${SUBSCRIPTIONS_A_CLIENT} + :turn % ${SUBSCRIPTIONS_A_CLIENT} + ${first}`,
    `${oneLine(intentOf(merchantId, start))} \\gset`,
    `${oneLine(outcomeOf(merchantId, plan.charged, plan.intervalDays))};`,
  ];
  return `${lines.join('\n')}\n`;
}

function oneLine(text: string): string {
  return text.replaceAll(/\s*\n\s*/g, ' ');
}

/** Ids of our time order, like the service's: each of a new one would touch another page of the index. */
function intentOf(merchantId: string, start: string): string {
  return `with input as (
      select uuidv7() as transaction_id, ('${start}' || lpad(to_hex(:number::bigint), 12, '0'))::uuid as subscription_id
    ), taken as (
      update billings b set charges_made = b.charges_made + 1, fence = b.fence + 1, transaction_id = i.transaction_id,
        lease_expires_at = now() + interval '30 seconds'
      from input i
      where b.merchant_id = '${merchantId}' and b.subscription_id = i.subscription_id and b.state = 'opened'
        and b.transaction_id is null
      returning b.billing_id, b.subscription_id, b.installment, b.due_on, b.amount, i.transaction_id
    ), intended as (
      insert into transactions (merchant_id, transaction_id, account_number, origin, state, amount, installment_count,
        reference_transaction, card_brand, card_first_six, card_last_four, card_fingerprint, created_by, sold_at, due_at,
        vault_id, initiator)
      select '${merchantId}', transaction_id, '1000001', 'billing', 'charging', amount, 1, billing_id::text,
        'mastercard', '555566', '0001', sha256(transaction_id::text::bytea), 'system', now(),
        now() + interval '20 seconds', gen_random_uuid(), 'merchant'
      from taken
    ), tried as (
      insert into billing_charges (merchant_id, billing_id, charge_number, attempt_number, transaction_id, started_at, due_at,
        created_by)
      select '${merchantId}', billing_id, 1, 1, transaction_id, now(), now() + interval '30 seconds', 'system' from taken
    )
    select transaction_id, billing_id, subscription_id, installment, due_on from taken`;
}

function outcomeOf(merchantId: string, amount: number, intervalDays: number): string {
  return `with changed as (
      update transactions set state = 'approved', authorization_code = 'ABC123', nsu = '123456789',
        network_transaction_id = 'MCC1234567', decided_at = now(), due_at = null, approved_at = now()
      where merchant_id = '${merchantId}' and transaction_id = :transaction_id::uuid and state = 'charging' and fence = 0
      returning merchant_id, transaction_id
    ), parts as (
      insert into installments (merchant_id, transaction_id, installment_number, amount, state)
      select merchant_id, transaction_id, 1, ${amount}, 'authorized' from changed
    ), moves as (
      insert into movements (merchant_id, account_number, transaction_id, installment_number, type, new_state, nsu,
        authorization_code, moment)
      select merchant_id, '1000001', transaction_id, 1, 'Autorizacao', 'authorized', '123456789', 'ABC123', now()
      from changed
    ), charged as (
      update billing_charges set ended_at = now(), outcome = 'approved', response_code = '00', rule = 'paid', due_at = null
      where merchant_id = '${merchantId}' and billing_id = :billing_id::uuid and charge_number = 1
    ), paid as (
      update billings set state = 'paid', charge_on = null, transaction_id = null, lease_expires_at = null,
        modified_by = 'system', modified_at = now()
      where merchant_id = '${merchantId}' and billing_id = :billing_id::uuid and state = 'opened'
      returning merchant_id
    )
    insert into billings (merchant_id, billing_id, subscription_id, installment, state, amount, due_on, charge_on,
      created_by, created_at)
    select merchant_id, uuidv7(), :subscription_id::uuid, :installment::smallint + 1, 'opened', ${amount},
      :due_on::date + ${intervalDays}, :due_on::date + ${intervalDays}, 'system', now()
    from paid`;
}
