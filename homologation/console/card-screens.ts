import { TOKENIZE_CARD } from '../../src/cards/endpoints.ts';
import type { TestTools } from '../../src/console/parts/homologation-pages.ts';
import { type Html, html } from '../../src/console/parts/html.ts';
import { brandText, copyable, table } from '../../src/console/parts/page-parts.ts';
import { pathOf, paymentPath, TRIAL_CARDS } from '../../src/console/parts/paths.ts';
import {
  type Action,
  type Asked,
  OF_MERCHANT,
  operationRefused,
  type Screen,
  screen,
  shownRequests,
  type Visit,
} from '../../src/console/parts/screen.ts';
import { CREATE_PAYMENT } from '../../src/payments/contract.ts';
import { type CardBrand, securityCodeLength } from '../../src/values/card-number.ts';

import { askHomologation, MAY_TRY, toolLinks, tryForm } from './test-tools.ts';

type Trials = {
  readonly items: readonly {
    readonly name: string;
    readonly number: string;
    readonly brand: CardBrand;
    readonly behaviour: string;
  }[];
  readonly amounts: readonly { readonly endsIn: string; readonly behaviour: string }[];
};
type TrialCard = Trials['items'][number];

const NOTHING: Trials = { items: [], amounts: [] };
const USUAL_CENTS = '12990';
const HOLDER = { cardholderName: 'ANA SOUZA', expirationMonth: '12', expirationYear: '39' };

async function listTrials(visit: Visit, tools: Pick<TestTools, 'contractOf'>): Promise<Trials> {
  const asked = await askHomologation(visit, tools, 'listTrialCards', {});
  return asked.ok ? (asked.body as Trials) : NOTHING;
}

export const CARD_SCREENS: readonly Screen<TestTools>[] = [
  screen<TestTools, Trials>({
    path: TRIAL_CARDS,
    ...OF_MERCHANT,
    title: 'Trial cards',
    read: listTrials,
    view: cardsPage,
  }),
];

function cardsPage({ items, amounts }: Trials, visit: Visit): Html {
  const { say, money } = visit.wording;
  const action = `${pathOf(TRIAL_CARDS, { merchantId: visit.merchantId })}/pay`;
  const pay = (card: string, cents: string, number: number) =>
    tryForm(visit, { action, title: say('Pay with it'), hidden: { card, cents }, number });
  const [first] = items;
  // The button is beside the number, because a narrow window hides the end of a row.
  const cards = table(say('Trial cards'), items, [
    { title: say('Number'), cell: ({ number }) => copyable(number) },
    { title: say('Try it'), cell: ({ name }, index) => pay(name, USUAL_CENTS, index) },
    { title: say('What becomes of a charge'), cell: ({ behaviour }) => quoted(behaviour) },
    { title: say('Brand'), cell: ({ brand }) => brandText(brand) },
  ]);
  const endings = table(say('Amounts that decide'), amounts, [
    {
      title: say('The amount ends in'),
      cell: ({ endsIn }) => html`${copyable(endsIn)} <small>(${money(Number(endsIn))})</small>`,
    },
    {
      title: say('Try it'),
      cell: ({ endsIn }, index) => first !== undefined && pay(first.name, endsIn, items.length + index),
    },
    { title: say('What becomes of a charge'), cell: ({ behaviour }) => quoted(behaviour) },
  ]);
  return html`${toolLinks(visit)}
<p>${say('No real card is reached here. A click on a number selects it; any security code and any month to come go with it.')}</p>
${cards}
<section><h2>${say('Amounts that decide')}</h2>
<p>${say('They decide before the card does, in cents.')}</p>
${endings}</section>
<section><h2>${say('The same by the API')}</h2>
${shownRequests(payRequests(first))}</section>`;
}

/** Text between backquotes is a value. */
function quoted(text: string): Html {
  return html`${text.split('`').map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : part))}`;
}

const paymentOf = (card: Pick<TrialCard, 'brand'>, amount: number, numberToken: string, code: string) => ({
  payment: { transactionType: 'credit', amount, productType: 'avista', installments: 1 },
  sellerInfo: { codeAntiFraud: code },
  cardInfo: {
    numberToken,
    securityCode: '1234'.slice(0, securityCodeLength(card.brand)),
    brand: card.brand,
    ...HOLDER,
  },
});

function payRequests(card: TrialCard | undefined) {
  if (card === undefined) return [];
  return [
    { contract: { method: 'GET', path: '/homologation/trial-cards' } as const },
    { contract: TOKENIZE_CARD, body: { cardNumber: card.number } },
    { contract: CREATE_PAYMENT, body: paymentOf(card, Number(USUAL_CENTS), '…', '…') },
  ];
}

type Paid = { readonly paymentId: string | null };

/** The form sends the name of a number: no form of the console takes card numbers. */
async function payWith(
  visit: Visit,
  { card: name, cents }: Readonly<Record<string, string>>,
  tools: TestTools,
): Promise<Asked<Paid>> {
  const { say } = visit.wording;
  const card = (await listTrials(visit, tools)).items.find((one) => one.name === name);
  const amount = /^\d{1,9}$/.test(cents ?? '') ? Number(cents) : 0;
  if (card === undefined || amount === 0)
    return operationRefused(400, say('There is no such trial card, or no amount.'));
  const tokenized = await visit.ask(TOKENIZE_CARD, { body: { cardNumber: card.number } });
  if (!tokenized.ok) return tokenized;
  const numberToken = tokenized.body[0]?.numberToken ?? '';
  const body = paymentOf(card, amount, numberToken, visit.onceKey);
  const paid = await visit.ask(CREATE_PAYMENT, { body });
  if (paid.ok) return { ...paid, body: { paymentId: paid.body.paymentAuthorization.paymentId } };
  // A declined or unanswered charge is a payment too, with a page of its own.
  const [error] = paid.errors as readonly { readonly paymentId?: string }[];
  const paymentId = error?.paymentId;
  return paymentId === undefined ? paid : { ok: true, status: 200, body: { paymentId } };
}

export const CARD_ACTIONS: readonly Action<TestTools>[] = [
  {
    ...MAY_TRY,
    path: `${TRIAL_CARDS}/pay`,
    title: 'Pay with it',
    operation: 'trial.pay',
    perform: payWith,
    done: 'The card was charged, or declined: what became of it stands below.',
    next: ({ merchantId }, answered) => {
      const { paymentId = null } = (answered ?? {}) as Partial<Paid>;
      if (paymentId === null) return pathOf(TRIAL_CARDS, { merchantId });
      return paymentPath(merchantId, paymentId);
    },
  },
];
