import { randomBytes, randomUUID } from 'node:crypto';
import { NO_NETWORK_REFERENCE } from '../../src/providers/acquirers/network-reference.ts';
import type { StartedCharge } from '../../src/recurrence/collection/charge-intents.sql.ts';
import { cents } from '../../src/values/cents.ts';
import { instant } from '../../src/values/instant.ts';
import type { TestService } from '../kit/service.ts';

/** A merchant in a database that a test looks into. */
export type RowsOf = Pick<TestService, 'auditor'> & { readonly merchantId: string };

type Change = Readonly<Record<string, unknown>>;

async function plant({ auditor }: RowsOf, table: string, row: Change): Promise<void> {
  const columns = Object.keys(row).join();
  await auditor.query(
    `insert into ${table} (${columns}) select ${columns} from jsonb_populate_record(null::${table}, $1)`,
    [JSON.stringify(row)],
  );
}

/** A stored card that nobody can open: what is planted here is not charged. */
async function plantCard(rows: RowsOf): Promise<string> {
  const vaultId = randomUUID();
  await rows.auditor.query(
    `insert into vault_cards (merchant_id, vault_id, sealed_number, data_key_id, brand, first_six, last_four,
       expiration_month, expiration_year, holder_name, created_by)
     select $1, $2, '\\x00', min(data_key_id), 'mastercard', '515590', '0001', '12', '39', 'ANA SOUZA', 'test'
     from data_keys where purpose = 'card'`,
    [rows.merchantId, vaultId],
  );
  return vaultId;
}

export type Planted = { readonly planId: string; readonly subscriptionId: string; readonly vaultId: string };

/** A plan with somebody enrolled in it, as the modules would have left them; `terms` go for both. */
export async function plantSubscription(
  rows: RowsOf,
  change: Change = {},
  terms: Change = {},
): Promise<Planted> {
  const { merchantId } = rows;
  const [planId, subscriptionId] = [randomUUID(), randomUUID()];
  const vaultId = await plantCard(rows);
  const made = { merchant_id: merchantId, plan_id: planId, created_by: 'loja', created_at: new Date() };
  const kept = {
    payment_method: 'creditCard',
    amount: '49.905',
    plan_type: 'monthly',
    trial_days: 0,
    interval_days: 30,
    installments: 0,
    max_retries: 4,
    ...terms,
  };
  const named = { name: 'Clube do Livro', description: 'Um livro', search_name: 'clube do livro' };
  await plant(rows, 'plans', { ...made, ...named, ...kept, state: 'active' });
  await plant(rows, 'subscriptions', {
    ...made,
    ...kept,
    subscription_id: subscriptionId,
    vault_id: vaultId,
    order_number: 'P-1001',
    account_number: '1000001',
    state: 'active',
    state_since: new Date(),
    first_due_on: '2026-12-01',
    installments_paid_before: 0,
    ...change,
  });
  return { planId, subscriptionId, vaultId };
}

/** A billing of a subscription; gives its id. */
export async function plantBilling(
  rows: RowsOf,
  subscriptionId: string,
  change: Change = {},
): Promise<string> {
  const billingId = randomUUID();
  const state = change.state ?? 'opened';
  const dueOn = change.due_on ?? '2026-12-01';
  await plant(rows, 'billings', {
    merchant_id: rows.merchantId,
    billing_id: billingId,
    subscription_id: subscriptionId,
    installment: 1,
    state,
    is_skipped: false,
    amount: 4_990,
    due_on: dueOn,
    charge_on: state === 'opened' ? dueOn : null,
    charges_made: 0,
    fence: 0,
    created_by: 'loja',
    created_at: new Date(),
    ...change,
  });
  return billingId;
}

export async function plantCharge(rows: RowsOf, billingId: string, change: Change): Promise<void> {
  await plant(rows, 'billing_charges', {
    merchant_id: rows.merchantId,
    billing_id: billingId,
    charge_number: 1,
    attempt_number: 1,
    started_at: new Date(),
    created_by: 'system',
    ...change,
  });
}

/** What happened to a subscription, as the engine would have written it. */
export async function plantEvent(rows: RowsOf, subscriptionId: string, change: Change): Promise<void> {
  await plantSome(rows, 'subscription_events', {
    merchant_id: rows.merchantId,
    subscription_id: subscriptionId,
    type: 'blocked',
    reason: 'cardCanceled',
    created_by: 'system',
    created_at: new Date(),
    ...change,
  });
}

/** The transaction of a charge that was declined; gives its id. */
export async function plantDecline(rows: RowsOf, change: Change = {}): Promise<string> {
  const transactionId = change.transaction_id ?? randomUUID();
  await plantSome(rows, 'transactions', {
    merchant_id: rows.merchantId,
    account_number: '1000001',
    origin: 'billing',
    state: 'declined',
    amount: 4_990,
    installment_count: 1,
    card_brand: 'mastercard',
    card_first_six: '515590',
    card_last_four: '0001',
    card_fingerprint: '\\x00',
    created_by: 'system',
    sold_at: new Date(),
    decided_at: new Date(),
    response_code: '51',
    ...change,
    transaction_id: transactionId,
  });
  return transactionId as string;
}

/** Columns that are not named take what the table gives them. */
async function plantSome({ auditor }: RowsOf, table: string, row: Change): Promise<void> {
  const columns = Object.keys(row);
  await auditor.query(
    `insert into ${table} (${columns}) select ${columns} from jsonb_populate_record(null::${table}, $1)`,
    [JSON.stringify(row)],
  );
}

export async function billingsOf({ auditor, merchantId }: RowsOf, subscriptionId: string) {
  return auditor.query(
    `select billing_id, installment, state, to_char(due_on, 'YYYY-MM-DD') as due_on, amount::int as amount,
       to_char(charge_on, 'YYYY-MM-DD') as charge_on, created_by, modified_by
     from billings where merchant_id = $1 and subscription_id = $2 order by installment`,
    [merchantId, subscriptionId],
  );
}

/** The intent of a charge of a billing, as the engine would bring it. */
export function intentOf(merchantId: string, billingId: string, vaultId: string): StartedCharge['intent'] {
  const trace = {
    brand: 'mastercard',
    firstSix: '515590',
    lastFour: '0001',
    fingerprint: randomBytes(32),
  } as const;
  return {
    merchantId,
    transactionId: randomUUID(),
    accountNumber: '1000001',
    acquirer: 'default',
    antiFraudProvider: null,
    origin: 'billing',
    amount: cents(4_990),
    installmentCount: 1,
    referenceTransaction: billingId,
    trace,
    cardSource: null,
    stored: { vaultId, isFirst: true, networkReference: NO_NETWORK_REFERENCE },
    initiator: 'merchant',
    antiFraudCode: null,
    codeToClaim: null,
    verdict: null,
    verdictReasons: null,
    attempt: null,
    callbackUrl: null,
    customer: null,
    softDescriptor: null,
    authentication: null,
    storedCardReason: 'recurring',
    buyer: null,
    split: null,
    createdBy: 'system',
    soldAt: instant(Date.now()),
    request: null,
    leaseMilliseconds: 20_000,
  };
}
