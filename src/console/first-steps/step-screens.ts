import { TOKENIZE_CARD } from '../../cards/contract.ts';
import { STORE_VAULT_CARD } from '../../cards/vault/contract.ts';
import { LIST_VAULT_CARDS } from '../../cards/vault/list-contract.ts';
import { CREATE_PAYMENT } from '../../payments/contract.ts';
import { CREATE_PLAN, LIST_PLANS } from '../../recurrence/plans/contract.ts';
import { CREATE_SUBSCRIPTION } from '../../recurrence/subscriptions/contract.ts';
import { REGISTER_WEBHOOK } from '../../webhooks/endpoints/contract.ts';
import { ADVANCE, moveRequest } from '../homologation/clock-request.ts';
import { askHomologation, type TestTools } from '../homologation/test-tools.ts';
import type { Asked } from '../parts/asked.ts';
import { operationRefused } from '../parts/operation-refused.ts';
import type { Field } from '../parts/page-parts.ts';
import type { Form, Visit } from '../parts/screen.ts';
import type { ShownRequest } from '../parts/shown-request.ts';

/** One thing that a button does, by the requests that stand beside it. */
export type Step = {
  readonly name: string;
  /** English. */
  readonly title: string;
  readonly about: string;
  readonly done: string;
  readonly requests: readonly ShownRequest[];
  readonly fields?: (visit: Visit) => readonly Field[];
  readonly take: (visit: Visit, tools: TestTools, form: Form) => Promise<Asked<unknown>>;
};

/** Of the simulator: always approved. */
const CARD_NUMBER = '5155901222280001';
const CARD = {
  brand: 'mastercard',
  cardholderName: 'ANA SOUZA',
  expirationMonth: '12',
  expirationYear: '39',
};
const PLAN = {
  name: 'Clube do Livro',
  description: 'Um livro por mês',
  amount: 49.9,
  planType: 'Monthly',
  trialDays: 0,
  paymentMethod: 'CreditCard',
  attempts: 4,
};
const MONTH_DAYS = 31;
/** Of the payment of the steps. */
export const FIRST_REFERENCE = 'PRIMEIRO';

const TOKENIZING: ShownRequest = { contract: TOKENIZE_CARD, body: { cardNumber: CARD_NUMBER } };

const paymentOf = (numberToken: string, codeAntiFraud: string) => ({
  payment: { transactionType: 'credit', amount: 12_990, productType: 'lojista', installments: 3 },
  referenceTransaction: FIRST_REFERENCE,
  sellerInfo: { codeAntiFraud },
  cardInfo: { numberToken, securityCode: '123', ...CARD },
});

async function tokenized(
  { ask }: Visit,
  use: (numberToken: string) => Promise<Asked<unknown>>,
): Promise<Asked<unknown>> {
  const asked = await ask(TOKENIZE_CARD, { body: TOKENIZING.body });
  return asked.ok ? use(asked.body[0]?.numberToken ?? '') : asked;
}

/** Where somebody who tries a receiver runs it; nobody need answer there. */
const USUAL_ADDRESS = 'http://localhost:8099/';

/** From the first payment to a month of billings, in order. */
export const STEPS: readonly Step[] = [
  {
    name: 'notify',
    title: 'Say where you are notified',
    about:
      'What happens is posted to this address of yours. Where nobody answers, you see tries that fail and are made again.',
    done: 'It is registered: what happens from now on is sent there.',
    requests: [
      {
        contract: { method: 'POST', path: `${REGISTER_WEBHOOK.path}?accountNumber=$ACCOUNT` },
        body: { url: USUAL_ADDRESS },
      },
    ],
    fields: ({ wording: { say } }) => [
      { name: 'url', label: say('Address'), value: USUAL_ADDRESS, isRequired: true, mostCharacters: 500 },
    ],
    take: ({ ask, accountNumbers }, _tools, { url }) =>
      ask(REGISTER_WEBHOOK, { query: { accountNumber: accountNumbers[0] ?? '' }, body: { url } }),
  },
  {
    name: 'pay',
    title: 'Charge a card',
    about: 'A card becomes a token, and the token pays R$ 129,90 in three installments.',
    done: 'The card was charged.',
    requests: [TOKENIZING, { contract: CREATE_PAYMENT, body: paymentOf('…', '…') }],
    take: (visit) =>
      tokenized(visit, (token) => visit.ask(CREATE_PAYMENT, { body: paymentOf(token, visit.onceKey) })),
  },
  {
    name: 'store',
    title: 'Store a card',
    about: 'A stored card is charged again later, without its holder.',
    done: 'The card is stored.',
    requests: [TOKENIZING, { contract: STORE_VAULT_CARD, body: { numberToken: '…', ...CARD } }],
    take: (visit) =>
      tokenized(visit, (numberToken) => visit.ask(STORE_VAULT_CARD, { body: { numberToken, ...CARD } })),
  },
  {
    name: 'plan',
    title: 'Make a plan',
    about: 'What is offered: so much, every month.',
    done: 'The plan is made.',
    requests: [{ contract: CREATE_PLAN, body: PLAN }],
    take: ({ ask }) => ask(CREATE_PLAN, { body: PLAN }),
  },
  {
    name: 'subscribe',
    title: 'Enrol a customer',
    about:
      'The newest stored card and the newest plan become a subscription, whose first billing is due today.',
    done: 'The customer is enrolled.',
    requests: [{ contract: CREATE_SUBSCRIPTION, body: { planId: '…', vaultId: '…', orderNumber: 'P-1001' } }],
    take: subscribe,
  },
  {
    name: 'month',
    title: 'Let a month pass',
    about: 'The clock of the merchant goes on by 31 days, and everything that falls due in between happens.',
    done: 'A month has passed.',
    requests: [moveRequest({ advanceDays: MONTH_DAYS })],
    take: (visit, tools) => askHomologation(visit, tools, ADVANCE, { body: { advanceDays: MONTH_DAYS } }),
  },
];

async function subscribe({ ask, wording }: Visit): Promise<Asked<unknown>> {
  const [cards, plans] = [await ask(LIST_VAULT_CARDS, { query: {} }), await ask(LIST_PLANS, { query: {} })];
  const vaultId = cards.ok ? cards.body.items[0]?.vaultId : undefined;
  const planId = plans.ok ? plans.body.items[0]?.id : undefined;
  if (vaultId === undefined || planId === undefined)
    return operationRefused(409, wording.say('Store a card and make a plan first.'));
  return ask(CREATE_SUBSCRIPTION, { body: { planId, vaultId, orderNumber: 'P-1001' } });
}
