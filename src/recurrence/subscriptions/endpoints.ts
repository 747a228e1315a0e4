import { type Static, Type } from 'typebox';
import type { SentRequest } from '../../idempotency/idempotency-key.ts';
import {
  type Answer,
  callerAt,
  callerOf,
  contract,
  type Endpoint,
  endpoint,
} from '../../platform/http/endpoint.ts';
import { FAILURES, type Once, writeOnce } from '../../platform/http/failures.ts';
import { named } from '../../platform/http/named.ts';
import { type RefusalShape, refusal, refusalAnswer, refusalsAnswer } from '../../platform/http/refusal.ts';
import { REQUIRED } from '../../platform/http/schema-faults.ts';
import type { Language } from '../../platform/http/sentence.ts';
import type { ModuleContext } from '../../platform/module.ts';
import {
  type Page,
  pageFor,
  type TooManyToOrder,
  tooManyToOrder,
  type WantedPage,
  writePage,
} from '../../platform/pages.ts';
import type { LookUp } from '../../platform/postgres/searches.ts';
import type { WakeSignal } from '../../platform/work/wake-signal.ts';
import { pagesAt } from '../../transactions/methods/pix/pix-contract.ts';
import { cents } from '../../values/cents.ts';
import { idOrUnissued } from '../../values/ids.ts';
import type { Journey } from '../automatic/authorization.ts';
import { writeAuthorization } from '../automatic/contract.ts';
import { findAuthorizationOf, type StartByPixTools, startByPix } from '../automatic/start-by-pix.ts';
import { changePlanState, type MovePlanTools } from '../plans/change-plan.ts';
import {
  OF_PLANS,
  PLAN_EXAMPLE,
  PLAN_ID,
  PLAN_PARAMETERS,
  PLAN_STATE_WORDS,
  readPlanState,
} from '../plans/contract.ts';
import { cancelWithPlan, type EndingTools } from './cancel-with-plan.ts';
import { type ChangeSubscriptionTools, changeSubscription } from './change-subscription.ts';
import type { ChangeResult } from './changes.sql.ts';
import {
  CHANGE_SUBSCRIPTION_CARD,
  CHANGE_SUBSCRIPTION_CUSTOMER,
  CHANGE_SUBSCRIPTION_STATUS,
  CREATE_SUBSCRIPTION,
  GET_SUBSCRIPTION,
  LIST_SUBSCRIPTIONS,
  readListQuery,
  STATUS_EVENTS,
  writeSubscription,
  writeWholeSubscription,
} from './contract.ts';
import {
  type CreateSubscriptionResult,
  type CreateSubscriptionTools,
  createSubscription,
} from './create-subscription.ts';
import { SUBSCRIPTION_STATE_WORDS } from './reasons.ts';
import { searchSubscriptions } from './searches.sql.ts';
import type {
  ChangeRefusal,
  Subscription,
  SubscriptionCreationRefusal,
  SubscriptionField,
  SubscriptionFilter,
  SubscriptionWithEvents,
} from './subscription.ts';
import { findCreationRefusals } from './subscription-creation.sql.ts';
import { findSubscription } from './subscriptions.sql.ts';

type ReadSubscriptionsTools = Pick<ModuleContext, 'lookUp' | 'search' | 'database'>;

/** So many subscriptions are sorted without an index in a second or two. */
const MOST_SORTED = 300_000;

/** Throws `Overloaded` when too many of the merchant's searches wait. */
async function listSubscriptions(
  { search }: Pick<ReadSubscriptionsTools, 'search'>,
  merchantId: string,
  filter: SubscriptionFilter,
  wanted: WantedPage<SubscriptionField>,
): Promise<Page<Subscription> | TooManyToOrder> {
  const vaultId = filter.vaultId === null ? null : idOrUnissued(filter.vaultId);
  return search(merchantId, (database) =>
    searchSubscriptions(database, merchantId, { ...filter, vaultId }, wanted, MOST_SORTED),
  );
}

/** A subscription with its history; null: unknown, or of another merchant. */
function readSubscription(
  { lookUp }: Pick<ReadSubscriptionsTools, 'lookUp'>,
  merchantId: string,
  subscriptionId: string,
): Promise<SubscriptionWithEvents | null> {
  const id = idOrUnissued(subscriptionId);
  return lookUp(merchantId, (database) => findSubscription(database, merchantId, id));
}

/**
 * Finds an unknown plan or card in a request of which only a part may be readable. An inactive plan is not a
 * fault of the request.
 */
async function checkNewSubscription(
  { lookUp }: { readonly lookUp: LookUp },
  merchantId: string,
  { planId, vaultId }: { readonly planId?: string; readonly vaultId?: string },
): Promise<readonly SubscriptionCreationRefusal[]> {
  if (planId === undefined && vaultId === undefined) return [];
  const ids = { planId: idOrUnissued(planId ?? ''), vaultId: idOrUnissued(vaultId ?? '') };
  const refusals = await lookUp(merchantId, (database) =>
    findCreationRefusals(database, { merchantId, ...ids }),
  );
  const unknown = {
    unknownPlan: planId !== undefined,
    unknownCard: vaultId !== undefined,
    planNotActive: false,
    firstDueInThePast: false,
    firstDueTooFar: false,
    firstDueByPix: false,
    cardNeeded: false,
    cardNotTaken: vaultId !== undefined && planId !== undefined,
    payerNameNeeded: false,
    payerDocumentNeeded: false,
    payerAccountNeeded: false,
    automaticPixOff: false,
  };
  return refusals.filter((refusal) => unknown[refusal]);
}

export const SUBSCRIPTION_CREATION_REFUSALS = {
  unknownPlan: refusal(400, 'planId', { pt: 'Plano não encontrado.', en: 'Plan not found.' }),
  unknownCard: refusal(400, 'vaultId', { pt: 'Cofre não encontrado', en: 'No such card in the vault' }),
  cardNeeded: refusal(400, 'vaultId', REQUIRED),
  cardNotTaken: refusal(400, 'vaultId', {
    pt: 'O plano é pago por Pix Automático: não envie vaultId.',
    en: 'The plan is paid by PixAutomatic: send no vaultId.',
  }),
  payerNameNeeded: refusal(400, 'customer.name', {
    pt: 'O Pix Automático precisa do nome do pagador.',
    en: 'PixAutomatic needs the name of the payer.',
  }),
  payerDocumentNeeded: refusal(400, 'customer.documentNumber', {
    pt: 'O Pix Automático precisa do CPF ou CNPJ do pagador.',
    en: 'PixAutomatic needs the CPF or CNPJ of the payer.',
  }),
  payerAccountNeeded: refusal(400, 'pixAutomatic.account', {
    pt: 'Na jornada 1 o banco do pagador pede a autorização: informe a conta dele.',
    en: "With journey 1 the payer's bank asks for the authorization: name his account.",
  }),
  automaticPixOff: refusal(409, 'planId', {
    pt: 'O Pix Automático não está habilitado aqui para este plano.',
    en: 'PixAutomatic is not switched on here for this plan.',
  }),
  firstDueInThePast: refusal(400, 'firstDueOn', {
    pt: 'O dia da primeira cobrança já passou.',
    en: 'The day of the first charge is past.',
  }),
  firstDueTooFar: refusal(400, 'firstDueOn', {
    pt: 'O dia da primeira cobrança está a mais de dois anos.',
    en: 'The day of the first charge is more than two years ahead.',
  }),
  firstDueByPix: refusal(400, 'firstDueOn', {
    pt: 'Com Pix Automático os dias são os da autorização: não envie firstDueOn.',
    en: 'With PixAutomatic the days are those of the authorization: send no firstDueOn.',
  }),
  planNotActive: refusal(409, 'planId', {
    pt: 'O plano não está ativo e não aceita novas assinaturas.',
    en: 'The plan is not active and takes no new subscriptions.',
  }),
} as const satisfies Record<SubscriptionCreationRefusal, RefusalShape>;

export const SUBSCRIPTION_SEARCH_REFUSALS = {
  tooManyToOrder: tooManyToOrder(
    'São mais de trezentas mil assinaturas para esta ordem; escolha um plano, um status ou a ordem por createdDate.',
    'More than 300,000 subscriptions for this order; choose a plan, a status or the order by createdDate.',
  ),
} as const satisfies Record<TooManyToOrder, RefusalShape>;

export const SUBSCRIPTION_REFUSALS = {
  completed: refusal(409, 'status', {
    pt: 'Todas as parcelas da assinatura já foram encerradas; ela não pode ser reativada.',
    en: 'All installments of the subscription are over; it cannot be activated again.',
  }),
  cardRemoved: refusal(409, 'status', {
    pt: 'O cartão da assinatura foi removido; informe outro cofre antes de ativá-la.',
    en: 'The card of the subscription was removed; give it another one before you activate it.',
  }),
  unknownCard: SUBSCRIPTION_CREATION_REFUSALS.unknownCard,
  notAuthorized: refusal(409, 'status', {
    pt: 'A autorização do Pix Automático não vale mais; crie outra assinatura.',
    en: 'The authorization of PixAutomatic does not hold any more; make another subscription.',
  }),
  notByCard: refusal(409, 'vaultId', {
    pt: 'A assinatura é paga por Pix Automático, sem cartão.',
    en: 'The subscription is paid by PixAutomatic, without a card.',
  }),
} as const satisfies Record<Exclude<ChangeRefusal, 'notFound'>, RefusalShape>;

const MOVE_PLAN = contract({
  ...OF_PLANS,
  id: 'changePlanStatus',
  method: 'POST',
  path: '/v1/recurrences/plans/{planId}/status',
  summary: 'Change the status of a plan',
  description:
    'Any status to any other. Only an Active plan takes new subscriptions; an Inactive one goes on charging those it has. Canceled ' +
    'cancels its Pending, Active and Blocked subscriptions and what they have open. From the answer on none of them is charged; of tens of ' +
    'thousands the last may be shown as Canceled seconds later. A charge that is under way takes its outcome first.',
  parameters: PLAN_PARAMETERS,
  body: named('PlanStatusRequest', { status: Type.Enum(Object.values(PLAN_STATE_WORDS)) }),
  bodyExample: { status: 'Inactive' },
  answers: { 200: { description: 'The id of the plan.', schema: PLAN_ID, example: PLAN_EXAMPLE.id } },
});

export type PlanCancellationTools = MovePlanTools &
  EndingTools & {
    /** Wakes the background work, which finishes cancels that did not end within their request. */
    readonly wakeSignal: WakeSignal;
  };

/** The time before the deadline that is left for the current batch and the answer. */
const ANSWER_MILLISECONDS = 3_000;

export const PLAN_STATUS_ENDPOINTS: readonly Endpoint<PlanCancellationTools>[] = [
  endpoint(MOVE_PLAN, async (tools: PlanCancellationTools, call) => {
    const { status } = call.body;
    const { planId } = call.parameters;
    // If the request dies, the background work takes over after the deadline.
    const lease = Math.max(0, Math.ceil(call.deadlineAt - performance.now()));
    const state = readPlanState(status);
    const plan = await changePlanState(tools, callerAt(call), planId, state, lease, call.deadlineAt);
    if (plan === null) return refusalAnswer(FAILURES.unknownPath, call.language);
    if (state === 'canceled') {
      const goOn = () => performance.now() < call.deadlineAt - ANSWER_MILLISECONDS;
      const isDone = await cancelWithPlan(tools, plan, goOn);
      if (!isDone) tools.wakeSignal.notify();
    }
    return { status: 200, body: plan.planId };
  }),
];

export type SubscriptionTools = { readonly cell: string | null } & CreateSubscriptionTools &
  StartByPixTools &
  ReadSubscriptionsTools &
  ChangeSubscriptionTools;

export const SUBSCRIPTION_ENDPOINTS: readonly Endpoint<SubscriptionTools>[] = [
  endpoint(
    CREATE_SUBSCRIPTION,
    async (tools: SubscriptionTools, call) => {
      const { merchantId } = callerOf(call);
      const once = await createBy(tools, call);
      const isExpanded = call.query.expand === 'authorization';
      const id = 'result' in once && once.result.kind === 'created' ? once.result.subscriptionId : null;
      const created =
        isExpanded && id !== null
          ? await readCreated(tools, merchantId, id, pagesAt(call.pagesOrigin(), tools.cell))
          : null;
      return writeOnce(call, once, (result) =>
        created === null ? writeCreated(result, call.language) : { status: 200, body: created },
      );
    },
    {
      lookBeside: async (tools: SubscriptionTools, body, { merchantId }) => {
        const refusals = await checkNewSubscription(tools, merchantId, body);
        return refusals.map((refusal) => SUBSCRIPTION_CREATION_REFUSALS[refusal]);
      },
    },
  ),
  endpoint(LIST_SUBSCRIPTIONS, async (tools: ReadSubscriptionsTools, call) => {
    const { filter, wanted: asked } = readListQuery(call.query);
    const wanted = pageFor(call, asked);
    const found = await listSubscriptions(tools, callerOf(call).merchantId, filter, wanted);
    if (typeof found === 'string') return refusalAnswer(SUBSCRIPTION_SEARCH_REFUSALS[found], call.language);
    return { status: 200, body: writePage(wanted, found, writeSubscription) };
  }),
  endpoint(
    GET_SUBSCRIPTION,
    async (tools: ReadSubscriptionsTools & Pick<SubscriptionTools, 'cell' | 'clock'>, call) => {
      const { subscriptionId } = call.parameters;
      const found = await readSubscription(tools, callerOf(call).merchantId, subscriptionId);
      if (found === null) return refusalAnswer(FAILURES.unknownPath, call.language);
      const { subscription } = found;
      const authorization =
        subscription.vaultId === null
          ? await readAuthorization(tools, subscription, pagesAt(call.pagesOrigin(), tools.cell))
          : null;
      return { status: 200, body: writeWholeSubscription(found, authorization, call.language) };
    },
  ),
  endpoint(CHANGE_SUBSCRIPTION_STATUS, async (tools: ChangeSubscriptionTools, call) => {
    const { subscriptionId } = call.parameters;
    const wanted = { kind: 'status', event: STATUS_EVENTS[call.body.status] } as const;
    const result = await changeSubscription(tools, callerAt(call), subscriptionId, wanted, call.deadlineAt);
    return writeChanged(result, subscriptionId, call.language);
  }),
  endpoint(CHANGE_SUBSCRIPTION_CARD, async (tools: ChangeSubscriptionTools, call) => {
    const { subscriptionId } = call.parameters;
    const wanted = { kind: 'card', vaultId: call.body.vaultId } as const;
    const result = await changeSubscription(tools, callerAt(call), subscriptionId, wanted, call.deadlineAt);
    return writeChanged(result, subscriptionId, call.language);
  }),
  endpoint(CHANGE_SUBSCRIPTION_CUSTOMER, async (tools: ChangeSubscriptionTools, call) => {
    const { subscriptionId } = call.parameters;
    const wanted = { kind: 'customer', customer: call.body } as const;
    const result = await changeSubscription(tools, callerAt(call), subscriptionId, wanted, call.deadlineAt);
    return writeChanged(result, subscriptionId, call.language);
  }),
];

type NewSubscriptionCall = Parameters<typeof callerOf>[0] &
  SentRequest & {
    readonly body: Static<NonNullable<typeof CREATE_SUBSCRIPTION.body>>;
    readonly deadlineAt: number;
  };

/** Creates a subscription with a stored card or, without one, by Pix Automático. */
function createBy(
  tools: SubscriptionTools,
  call: NewSubscriptionCall,
): Promise<Once<CreateSubscriptionResult>> {
  const { vaultId, pixAutomatic, ...wanted } = call.body;
  if (vaultId !== undefined)
    return createSubscription(tools, callerOf(call), { ...wanted, vaultId }, call, call.deadlineAt);
  if (wanted.firstDueOn !== undefined)
    return Promise.resolve({ kind: 'first', result: { kind: 'refused', refusals: ['firstDueByPix'] } });
  const { journey, minimumAmount, account } = pixAutomatic ?? {};
  const byPix = {
    ...wanted,
    journey: (journey ?? null) as Journey | null,
    leastAmount: minimumAmount === undefined ? null : cents(minimumAmount),
    payerAccount:
      account === undefined
        ? null
        : { ispb: account.ispb, branch: account.branch ?? null, account: account.number },
  };
  return startByPix(tools, callerOf(call), byPix, call, call.deadlineAt);
}

async function readCreated(
  tools: Pick<SubscriptionTools, 'database' | 'clock'>,
  merchantId: string,
  subscriptionId: string,
  pages: string,
): Promise<object | null> {
  const found = await findSubscription(tools.database, merchantId, subscriptionId);
  if (found === null) return null;
  const authorization = await readAuthorization(tools, { merchantId, subscriptionId }, pages);
  return {
    id: subscriptionId,
    status: SUBSCRIPTION_STATE_WORDS[found.subscription.state],
    ...(authorization && { authorization }),
  };
}

async function readAuthorization(
  { database, clock }: Pick<SubscriptionTools, 'database' | 'clock'>,
  { merchantId, subscriptionId }: Pick<Subscription, 'merchantId' | 'subscriptionId'>,
  pages: string,
): Promise<object | null> {
  const found = await findAuthorizationOf({ database }, merchantId, subscriptionId);
  return found && writeAuthorization(found, pages, clock.now(merchantId));
}

/** Refusals with status 400 come first: they decide the status of the answer, whatever else is refused. */
function writeCreated(result: CreateSubscriptionResult, language: Language): Answer {
  if (result.kind === 'created') return { status: 200, body: result.subscriptionId };
  const shapes = result.refusals.map((refusal) => SUBSCRIPTION_CREATION_REFUSALS[refusal]);
  return refusalsAnswer(
    shapes.sort((one, other) => one.status - other.status),
    language,
  );
}

function writeChanged(result: ChangeResult, subscriptionId: string, language: Language): Answer {
  if (result === 'changed') return { status: 200, body: { id: subscriptionId.toLowerCase() } };
  const shape = result === 'notFound' ? FAILURES.unknownPath : SUBSCRIPTION_REFUSALS[result];
  return refusalAnswer(shape, language);
}
