import {
  CREATE_LINK,
  DISABLE_LINK,
  GET_LINK,
  LINK_STATUS_WORDS,
  LIST_LINKS,
} from '../../payments/links/contract.ts';
import type { AnswerOf } from '../../platform/http/endpoint.ts';
import { addDays, instant, saoPauloDay } from '../../values/instant.ts';
import { listScreen } from '../filters/list-screens.ts';
import type { MerchantPageTools } from '../open-console-tools.ts';
import { Html, html, type Shown } from '../parts/html.ts';
import {
  actionForm,
  amountFault,
  amountField,
  facts,
  link,
  moment,
  pageAddress,
  reaisOf,
  section,
  table,
  typedAmount,
} from '../parts/page-parts.ts';
import { boletoPath, LINK, LINKS, linkPath, pathOf, paymentPath } from '../parts/paths.ts';
import {
  type Action,
  ALL_ROLES,
  type Form,
  MAY_SELL,
  type Screen,
  screen,
  type Visit,
} from '../parts/screen.ts';
import { badge, LINK_STATES, stateBadge, stateChoices } from '../parts/states.ts';
import type { Wording } from '../parts/wording.ts';

type Link = AnswerOf<typeof GET_LINK>;

const MOST_INSTALLMENTS = 12;
const USUAL_DAYS = 30;

function linkTable(items: readonly Link[], visit: Visit): Html {
  const { say, reais, day } = visit.wording;
  return table(say('Payment links'), items, [
    { title: say('Description'), cell: (one) => link(linkPath(visit.merchantId, one.id), one.description) },
    { title: say('Amount'), isNumber: true, cell: (one) => reais(one.value) },
    { title: say('Status'), cell: (one) => stateBadge(LINK_STATES, one.status, visit.wording) },
    { title: say('Can be paid until'), cell: (one) => day(one.expirationDate) },
    { title: say('Reference'), cell: (one) => one.referenceTransaction ?? '–' },
  ]);
}

const listed = listScreen<Link>({
  path: LINKS,
  roles: ALL_ROLES,
  of: 'merchant',
  title: 'Payment links',
  contract: LIST_LINKS,
  query: ({ query }) => ({ status: query.status }),
  filters: ({ wording }) => [
    { name: 'status', label: wording.say('Status'), choices: stateChoices(LINK_STATES, wording) },
  ],
  empty: ['There is no payment link here.', 'Create one above, and send its address to your buyer.'],
  view: linkTable,
});

const LIST: Screen<MerchantPageTools> = {
  ...listed,
  async show(visit, tools) {
    const shown = await listed.show(visit, tools);
    return shown instanceof Html ? html`${createForm(visit)}${shown}` : shown;
  },
};

function createForm(visit: Visit, typed?: Form): Shown {
  const { say } = visit.wording;
  const today = saoPauloDay(instant(visit.now));
  return actionForm(visit, CREATE, {
    typed,
    about: say('A page where your buyer pays once, by card, Pix or boleto. Send him its address.'),
    fields: [
      { name: 'description', label: say('Description'), isRequired: true, mostCharacters: 250 },
      amountField(visit, { name: 'value' }),
      {
        name: 'qttyInstallments',
        label: say('Installments at most'),
        choices: Array.from({ length: MOST_INSTALLMENTS }, (_, at) => [`${at + 1}`, `${at + 1}x`] as const),
        value: '1',
      },
      {
        name: 'expirationDate',
        label: say('Can be paid until'),
        type: 'date',
        value: addDays(today, USUAL_DAYS),
        isRequired: true,
      },
      { name: 'referenceTransaction', label: say('Reference'), mostCharacters: 50 },
    ],
  });
}

const ONE: Screen<unknown> = screen<unknown, Link>({
  path: LINK,
  roles: ALL_ROLES,
  of: 'merchant',
  title: 'Payment link',
  refreshSeconds: 10,
  async read({ ask, parameters: { linkId = '' } }) {
    const asked = await ask(GET_LINK, { query: { id: linkId } });
    return asked.ok ? asked.body : 'notFound';
  },
  view: linkPage,
});

const METHODS = { card: 'Card', pix: 'Pix', boleto: 'Boleto' } as const;

function linkPage(one: Link, visit: Visit): Html {
  const { say, reais, day } = visit.wording;
  const { url, paymentId, status, method, receivedValue = 0, returnedValue = 0 } = one;
  return html`<p class="headline"><strong>${reais(one.value)}</strong> ${stateBadge(LINK_STATES, status, visit.wording)}</p>
${facts([
  [say('Address of the page'), pageAddress(url, visit)],
  [say('Description'), one.description],
  [say('Installments at most'), `${one.qttyInstallments}x`],
  [say('Can be paid until'), day(one.expirationDate)],
  [
    say('Payment'),
    paymentId === null ? '–' : link(paymentPath(visit.merchantId, paymentId), paymentId.slice(0, 8)),
  ],
  ...(receivedValue > 0 ? [[say('Received by Pix and boleto'), reais(receivedValue)] as const] : []),
  ...(returnedValue > 0 ? [[say('Of this, given back'), reais(returnedValue)] as const] : []),
  [say('Last tried by'), method === null ? '–' : say(METHODS[method])],
  [say('Reference'), one.referenceTransaction ?? '–'],
  [say('Reason'), one.reason ?? '–'],
  [say('Created by'), one.createdBy],
  [say('Created at'), moment(visit.wording, one.createdDate)],
])}${billSection(one, visit)}${status === LINK_STATUS_WORDS.paid || status === LINK_STATUS_WORDS.disabled ? '' : disableForm(one, visit)}`;
}

const ENDED: readonly string[] = [LINK_STATUS_WORDS.paid, LINK_STATUS_WORDS.disabled];

const centsOf = (value = 0) => Math.round(value * 100);

function notesOf(one: Link, { say, moment: momentText }: Wording): string[] {
  const { status, value, paymentId, receivedValue, returnedValue, removalDate, bills = [] } = one;
  const isOver = ENDED.includes(status);
  const payingBill = bills.find(({ id }) => id === paymentId);
  const kept = centsOf(receivedValue) - centsOf(returnedValue);
  const notes: string[] = [];
  if (isOver && bills.some(({ isToResolve }) => isToResolve) && kept > centsOf(payingBill && value))
    notes.push(
      payingBill === undefined
        ? say(
            'Money came that does not pay this link: give it back to the buyer, or agree with him on it, and say at the page of the Pix or boleto what became of it.',
          )
        : say(
            'More money came than pays this link: give it back to the buyer, or agree with him on it, and say at the page of the Pix or boleto what became of it.',
          ),
    );
  else if (payingBill?.isToResolve === true)
    notes.push(say('What pays this link has an exception: say at its page what became of it.'));
  if (!bills.some(({ isOpen }) => isOpen)) return notes;
  if (removalDate === null)
    notes.push(say('One of them can still be paid: its bank is being asked to take it away.'));
  else if (removalDate !== undefined)
    notes.push(
      say('One of them can still be paid: its bank has not taken it away, and is asked again at {moment}.', {
        moment: momentText(removalDate),
      }),
    );
  else if (isOver)
    notes.push(
      say('One of them can still be paid, and its bank is not asked to take it away: ask it yourself.'),
    );
  return notes;
}

function billSection(one: Link, visit: Visit): Shown {
  const { say, reais } = visit.wording;
  const { bills = [] } = one;
  if (bills.length === 0) return '';
  const notes = notesOf(one, visit.wording);
  return section(
    say('Pix and boletos of this link'),
    html`${notes.length > 0 && html`<div class="message" role="note"><p>${notes.join(' ')}</p></div>`}${table(
      say('Pix and boletos of this link'),
      bills,
      [
        {
          title: say('Method'),
          cell: ({ id, method }) =>
            link((method === 'pix' ? paymentPath : boletoPath)(visit.merchantId, id), say(METHODS[method])),
        },
        { title: say('Status'), cell: (one) => billBadge(one, visit.wording) },
        { title: say('Received'), isNumber: true, cell: (one) => reais(one.receivedValue) },
      ],
    )}`,
  );
}

function billBadge(
  { isOpen, isToResolve, receivedValue }: NonNullable<Link['bills']>[number],
  { say }: Wording,
): Html {
  if (isToResolve) return badge('bad', say('To be resolved'));
  if (isOpen) return badge('wait', say('Waits for its payer'));
  return receivedValue > 0 ? badge('good', say('Received')) : badge('plain', say('Ended'));
}

function disableForm({ id }: Link, visit: Visit): Shown {
  return actionForm(visit, DISABLE, {
    values: { linkId: id },
    about: visit.wording.say(
      'It cannot be paid any more. A Pix or boleto that waits for its payer is taken away.',
    ),
    isGrave: true,
  });
}

const CREATE: Action = {
  ...MAY_SELL,
  path: `${LINKS}/new`,
  title: 'Create a payment link',
  contract: CREATE_LINK,
  asks: (_, { description = '', value = '', qttyInstallments, expirationDate, referenceTransaction }) => ({
    body: {
      description,
      value: reaisOf(value),
      qttyInstallments: Number(qttyInstallments ?? 1),
      ...(expirationDate && { expirationDate }),
      ...(referenceTransaction && { referenceTransaction }),
    },
  }),
  faultOf: (form) => amountFault(form, 'value'),
  amountOf: (form) => typedAmount(form, 'value'),
  again: createForm,
  done: 'The link can be paid.',
  next: ({ merchantId }, answered) =>
    answered === undefined
      ? pathOf(LINKS, { merchantId })
      : linkPath(merchantId, (answered as AnswerOf<typeof CREATE_LINK>).id),
};

const DISABLE: Action = {
  ...MAY_SELL,
  path: `${LINK}/disable`,
  title: 'Disable the link',
  contract: DISABLE_LINK,
  asks: ({ parameters: { linkId = '' } }, { reason = '' }) => ({ query: { id: linkId, reason } }),
  done: 'The link cannot be paid any more.',
  next: ({ merchantId, parameters: { linkId = '' } }) => linkPath(merchantId, linkId),
};

export const LINK_SCREENS: readonly Screen<MerchantPageTools>[] = [LIST, ONE];
export const LINK_ACTIONS: readonly Action[] = [CREATE, DISABLE];
