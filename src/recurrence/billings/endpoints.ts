import type { MerchantActor } from '../../audit/audit-event.ts';
import type { BusinessClock } from '../../platform/business-clock.ts';
import { callerAt, callerOf, type Endpoint, endpoint } from '../../platform/http/endpoint.ts';
import { FAILURES } from '../../platform/http/failures.ts';
import {
  conflict,
  endsBeforeItBegins,
  passingConflict,
  type RefusalShape,
  refusalAnswer,
} from '../../platform/http/refusal.ts';
import type { ModuleContext } from '../../platform/module.ts';
import { type Page, pageFor, tooManyToOrder, writePage } from '../../platform/pages.ts';
import type { BatchedWrite } from '../../platform/postgres/batched-writes.ts';
import { idOrUnissued, isUuid } from '../../values/ids.ts';
import type { Billing, BillingWithCharges } from './billing.ts';
import type { CancelRefusal } from './billing-after-charge.ts';
import type { BillingCancel, CancelResult } from './billing-cancels.sql.ts';
import { isRangeBackwards, type SearchRefusal, type WantedBillings } from './billing-search.ts';
import { listFoundBillings } from './billing-searches.sql.ts';
import { findBilling } from './billings.sql.ts';
import {
  CANCEL_BILLING,
  GET_BILLING,
  LIST_BILLINGS,
  readBillingQuery,
  writeBilling,
  writeWholeBilling,
} from './contract.ts';

type SearchTools = Pick<ModuleContext, 'lookUp' | 'search'>;

/** So many billings are sorted without an index in a second or two. Larger results must be narrowed down. */
const MOST_SORTED = 1_000_000;

/** Throws `Overloaded` when too many of the merchant's searches wait. */
async function listBillings(
  { search }: Pick<SearchTools, 'search'>,
  merchantId: string,
  wanted: WantedBillings,
): Promise<Page<Billing> | SearchRefusal> {
  if (isRangeBackwards(wanted)) return 'rangeBackwards';
  if (wanted.merchantId !== null && wanted.merchantId !== merchantId) return { items: [], total: 0 };
  const subscriptionId = wanted.subscriptionId === null ? null : idOrUnissued(wanted.subscriptionId);
  const known = { ...wanted, subscriptionId };
  return search(merchantId, (database) => listFoundBillings(database, merchantId, known, MOST_SORTED));
}

/** null for unknown billings and those of other merchants. */
async function readBilling(
  { lookUp }: Pick<SearchTools, 'lookUp'>,
  merchantId: string,
  billingId: string,
): Promise<BillingWithCharges | null> {
  if (!isUuid(billingId)) return null;
  return lookUp(merchantId, (database) => findBilling(database, merchantId, billingId));
}

type CancelBillingTools = {
  readonly clock: BusinessClock;
  readonly writeCancel: BatchedWrite<BillingCancel, CancelResult>;
};

async function cancelBilling(
  { clock, writeCancel }: CancelBillingTools,
  actor: MerchantActor,
  billingId: string,
  deadlineAt: number,
): Promise<CancelResult> {
  if (!isUuid(billingId)) return 'notFound';
  const { merchantId, userName } = actor;
  const stamp = { by: userName, at: clock.now(merchantId) };
  const key = { merchantId, billingId: billingId.toLowerCase() };
  return writeCancel({ ...key, stamp, actor }, deadlineAt);
}

export const BILLING_SEARCH_REFUSALS = {
  rangeBackwards: endsBeforeItBegins('expirationDateRangeEndDate'),
  tooManyToOrder: tooManyToOrder(
    'São mais de um milhão de cobranças para esta ordem; escolha um status, um período ou outra ordem.',
    'More than a million billings for this order; choose a status, a period or another order.',
  ),
} as const satisfies Record<SearchRefusal, RefusalShape>;

export const BILLING_CANCEL_REFUSALS = {
  finalized: conflict({
    pt: 'A cobrança já foi finalizada e não pode ser cancelada.',
    en: 'The billing is finalized already and cannot be canceled.',
  }),
  charging: passingConflict(5, {
    pt: 'A cobrança está sendo processada; aguarde o resultado.',
    en: 'The billing is being charged; wait for the outcome.',
  }),
} as const satisfies Record<CancelRefusal, RefusalShape>;

export type BillingTools = SearchTools & CancelBillingTools;

export const BILLING_ENDPOINTS: readonly Endpoint<BillingTools>[] = [
  endpoint(LIST_BILLINGS, async (tools: SearchTools, call) => {
    const wanted = pageFor(call, readBillingQuery(call.query));
    const found = await listBillings(tools, callerOf(call).merchantId, wanted);
    if (typeof found === 'string') return refusalAnswer(BILLING_SEARCH_REFUSALS[found], call.language);
    return { status: 200, body: writePage(wanted, found, writeBilling) };
  }),
  endpoint(GET_BILLING, async (tools: SearchTools, call) => {
    const found = await readBilling(tools, callerOf(call).merchantId, call.parameters.billingId);
    if (found === null) return refusalAnswer(FAILURES.unknownPath, call.language);
    return { status: 200, body: writeWholeBilling(found, call.language) };
  }),
  endpoint(CANCEL_BILLING, async (tools: CancelBillingTools, call) => {
    const { billingId } = call.parameters;
    const result = await cancelBilling(tools, callerAt(call), billingId, call.deadlineAt);
    if (result === 'notFound') return refusalAnswer(FAILURES.unknownPath, call.language);
    if (result !== 'canceled') return refusalAnswer(BILLING_CANCEL_REFUSALS[result], call.language);
    return { status: 200, body: billingId.toLowerCase() };
  }),
];
