import type { LIST_VAULT_CARDS } from '../../cards/vault/contract.ts';
import type { AnswerOf } from '../../platform/http/endpoint.ts';
import { CREATE_PLAN, GET_PLAN } from '../../recurrence/plans/contract.ts';
import { CREATE_SUBSCRIPTION } from '../../recurrence/subscriptions/contract.ts';
import type { MerchantPageTools } from '../open-console-tools.ts';
import type { Shown } from '../parts/html.ts';
import {
  actionForm,
  amountFault,
  amountField,
  type Field,
  fieldGroup,
  reaisOf,
  typedAmount,
} from '../parts/page-parts.ts';
import { PLANS, pathOf, planPath, SUBSCRIPTIONS, subscriptionPath } from '../parts/paths.ts';
import {
  type Action,
  type Asked,
  type Form,
  MAY_SELL,
  type Moved,
  operationRefused,
  type Visit,
} from '../parts/screen.ts';
import { PLAN_TYPE_WORDS, shownCardText, storedCardText } from './recurrence-words.ts';

/** Users who may subscribe a customer, for whom a stored card is charged. */
export const MAY_ENROL = { roles: ['finance', 'admin'], of: 'merchant' } as const satisfies Partial<Action>;

export type Plan = AnswerOf<typeof GET_PLAN>;
export type StoredCards = AnswerOf<typeof LIST_VAULT_CARDS>['items'];

/** Numbers of the form as the endpoint takes them. Empty ones are not sent: the endpoint has defaults. */
function wholeNumbers(form: Form, names: readonly string[]): Record<string, number | string> {
  const given = names.flatMap((name) => {
    const text = form[name];
    if (text === undefined) return [];
    return [[name, /^\d{1,6}$/.test(text) ? Number(text) : text] as const];
  });
  return Object.fromEntries(given);
}

export function planForm(visit: Visit, typed?: Form): Shown {
  const { say } = visit.wording;
  return actionForm(visit, NEW_PLAN, {
    typed,
    about: say(
      'What your customers subscribe to. Those who have subscribed keep its terms, whatever becomes of it.',
    ),
    fields: [
      { name: 'name', label: say('Name'), isRequired: true, mostCharacters: 255 },
      { name: 'description', label: say('Description'), isRequired: true, mostCharacters: 255 },
      amountField(visit),
      {
        name: 'planType',
        label: say('Rhythm'),
        choices: Object.entries(PLAN_TYPE_WORDS).map(([type, text]) => [type, say(text)] as const),
        value: 'Monthly',
      },
      {
        name: 'paymentMethod',
        label: say('Paid by'),
        choices: [
          ['CreditCard', say('Stored card')],
          ['PixAutomatic', say('Pix Automático')],
        ],
        value: 'CreditCard',
      },
      { name: 'trialDays', label: say('Days of trial'), type: 'number' },
      {
        name: 'interval',
        label: say('Days between charges'),
        type: 'number',
        hint: say('Of its own rhythm only.'),
      },
      {
        name: 'installments',
        label: say('Installments'),
        type: 'number',
        hint: say('Of a monthly one or of its own rhythm. Empty: no end.'),
      },
      { name: 'attempts', label: say('Retries for lack of funds'), type: 'number', value: '4' },
      { name: 'softDescriptor', label: say('On statements'), mostCharacters: 13 },
    ],
  });
}

const NEW_PLAN: Action = {
  ...MAY_SELL,
  path: `${PLANS}/new`,
  title: 'Create a plan',
  contract: CREATE_PLAN,
  asks: (_, form) => {
    const { name, description, amount = '', planType, paymentMethod, softDescriptor } = form;
    return {
      body: {
        name,
        description,
        amount: reaisOf(amount),
        planType,
        paymentMethod,
        softDescriptor,
        ...wholeNumbers(form, ['trialDays', 'interval', 'installments', 'attempts']),
      },
    };
  },
  faultOf: (form) => amountFault(form),
  amountOf: (form) => typedAmount(form),
  again: planForm,
  done: 'The plan takes subscriptions.',
  next: ({ merchantId }, answered) =>
    answered === undefined ? pathOf(PLANS, { merchantId }) : planPath(merchantId, answered as string),
};

type ToEnrol = Pick<Plan, 'id' | 'name'>;

/** `cards`: the newest stored ones, or those with the wanted last four digits. */
export function subscriptionForm(
  plan: ToEnrol & Pick<Plan, 'status' | 'paymentMethod'>,
  cards: StoredCards,
  visit: Visit,
): Shown {
  if (plan.status !== 'Active') return '';
  const { say } = visit.wording;
  const isByCard = plan.paymentMethod === 'CreditCard';
  const card: Field = {
    name: 'vaultId',
    label: say('Stored card'),
    choices: cards.map((one) => [one.vaultId, storedCardText(one)] as const),
    isRequired: true,
  };
  return subscriptionFields(plan, isByCard ? card : null, visit);
}

function subscriptionFields({ id, name }: ToEnrol, card: Field | null, visit: Visit, typed?: Form): Shown {
  const { say } = visit.wording;
  return actionForm(visit, ENROL, {
    typed,
    about:
      card === null
        ? say('The payer agrees to it at his bank, by the code on its page.')
        : say('It begins at once, and its card is charged by the rhythm of the plan.'),
    fields: [
      { name: 'planId', label: say('Plan'), choices: [[id, name]], isRequired: true },
      ...(card === null ? [] : [card]),
      { name: 'orderNumber', label: say('Order number'), isRequired: true, mostCharacters: 10 },
      { name: 'customer.name', label: say('Customer'), mostCharacters: 120 },
      { name: 'customer.documentNumber', label: 'CPF / CNPJ', mostCharacters: 18 },
      { name: 'customer.email', label: 'E-mail', mostCharacters: 255 },
      { name: 'customer.phone', label: say('Phone'), mostCharacters: 25 },
      ...(card === null
        ? []
        : [
            {
              name: 'firstDueOn',
              label: say('First charge on'),
              type: 'date' as const,
              hint: say('Empty: by the trial of the plan.'),
            },
          ]),
    ],
  });
}

const NO_CUSTOMER_TO_TWO =
  'This waits for a second person, and what waits keeps no data of a customer: leave it out, and add it by the API.';

/**
 * What a subscription moves: the amount that its stored card is charged each time. Null: no card is charged.
 */
async function charged(
  { ask, wording }: Visit,
  { planId = '', vaultId, orderNumber, firstDueOn, ...others }: Form,
  { secondPersonOver }: MerchantPageTools,
): Promise<Asked<Moved | null>> {
  if (vaultId === undefined) return { ok: true, status: 200, body: null };
  const asked = await ask(GET_PLAN, { parameters: { planId } });
  if (!asked.ok) return asked;
  const amount = Math.round(asked.body.amount * 100);
  const isOfCustomer = Object.keys(others).some((name) => name.startsWith('customer.'));
  if (secondPersonOver !== null && amount > secondPersonOver && isOfCustomer)
    return operationRefused(400, wording.say(NO_CUSTOMER_TO_TWO));
  const fields = {
    planId,
    vaultId,
    ...(orderNumber !== undefined && { orderNumber }),
    ...(firstDueOn !== undefined && { firstDueOn }),
  };
  const standing = `${asked.body.status} ${amount}`;
  return { ok: true, status: 200, body: { amount, counted: amount, standing, fields } };
}

const ENROL: Action<MerchantPageTools> = {
  ...MAY_ENROL,
  path: `${SUBSCRIPTIONS}/new`,
  title: 'Subscribe a customer',
  contract: CREATE_SUBSCRIPTION,
  asks: (_, form) => {
    const customer = fieldGroup(form, 'customer', ['name', 'documentNumber', 'email', 'phone']);
    const { planId, vaultId, orderNumber, firstDueOn } = form;
    return {
      body: {
        planId,
        vaultId,
        orderNumber,
        firstDueOn,
        ...(customer !== undefined && { customer }),
      },
    };
  },
  moves: charged,
  saysOf: ({ orderNumber = '', planId = '', vaultId = '' }, { say }) =>
    say('Order {orderNumber} · plan {planId} · card {vaultId}', { orderNumber, planId, vaultId }),
  async again(visit, typed, { findStoredCard }) {
    const { vaultId, planId = '' } = typed;
    const { say } = visit.wording;
    const found = vaultId === undefined ? null : await findStoredCard(visit.merchantId, vaultId);
    const card: Field | null =
      vaultId === undefined
        ? null
        : {
            name: 'vaultId',
            label: say('Stored card'),
            choices: [[vaultId, found === null ? vaultId : shownCardText(found)]],
          };
    const plan = await visit.ask(GET_PLAN, { parameters: { planId } });
    return plan.ok && subscriptionFields(plan.body, card, visit, typed);
  },
  done: 'The subscription began.',
  next: ({ merchantId }, answered) =>
    answered === undefined
      ? pathOf(SUBSCRIPTIONS, { merchantId })
      : subscriptionPath(merchantId, answered as string),
};

export const PLAN_ACTIONS: readonly Action<MerchantPageTools>[] = [NEW_PLAN, ENROL];
