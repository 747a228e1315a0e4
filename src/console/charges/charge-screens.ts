import type { AnswerOf } from '../../platform/http/endpoint.ts';
import { ISSUE_BOLETO } from '../../transactions/methods/boleto/contract.ts';
import { ISSUE_PIX } from '../../transactions/methods/pix/contract.ts';
import { addDays, instant, saoPauloDay } from '../../values/instant.ts';
import { html, type Shown } from '../parts/html.ts';
import {
  accountField,
  accountOf,
  actionForm,
  amountFault,
  amountField,
  centsOf,
  type Field,
  fieldGroup,
  link,
  reaisOf,
  typedAmount,
} from '../parts/page-parts.ts';
import { BOLETOS, boletoPath, CHARGE, LINKS, PAYMENTS, pathOf, paymentPath } from '../parts/paths.ts';
import {
  type Action,
  type Form,
  MAY_SELL,
  onceKeyOf,
  type Screen,
  screen,
  type Visit,
} from '../parts/screen.ts';

export const CHARGE_SCREENS: readonly Screen<unknown>[] = [
  screen<unknown, null>({
    ...MAY_SELL,
    path: CHARGE,
    title: 'New charge',
    read: async () => null,
    view: (_, visit) => {
      const { say } = visit.wording;
      return html`<p class="lead">${say('Make what your buyer pays, and send it to him.')}</p>
${pixForm({ ...visit, onceKey: onceKeyOf(visit, 1) })}${boletoForm({ ...visit, onceKey: onceKeyOf(visit, 2) })}
<p>${link(pathOf(LINKS, { merchantId: visit.merchantId }), say('By card or Pix at a page of ours: a payment link'))}</p>`;
    },
  }),
];

const HOUR = 3_600;
const [MOST_REFERENCE, MOST_DESCRIPTION] = [50, 140];

const reference = ({ say }: Visit['wording']): Field => ({
  name: 'referenceTransaction',
  label: say('Reference'),
  mostCharacters: MOST_REFERENCE,
});

function pixForm(visit: Visit, typed?: Form): Shown {
  const { say } = visit.wording;
  return actionForm(visit, PIX, {
    typed,
    about: say('Your buyer pays it with its QR code or text. With a due day it can be paid after it too.'),
    fields: [
      amountField(visit),
      {
        name: 'expiresInSeconds',
        label: say('Can be paid for'),
        choices: [
          [`${HOUR}`, say('An hour')],
          [`${24 * HOUR}`, say('A day')],
          [`${7 * 24 * HOUR}`, say('A week')],
        ],
        value: `${24 * HOUR}`,
      },
      {
        name: 'dueDate',
        label: say('Due'),
        type: 'date',
        hint: say('Instead of that. It needs its payer.'),
      },
      { name: 'payer.name', label: say('Payer'), mostCharacters: 200 },
      { name: 'payer.documentNumber', label: 'CPF / CNPJ', mostCharacters: 18 },
      { name: 'description', label: say('Description'), mostCharacters: MOST_DESCRIPTION },
      reference(visit.wording),
    ],
  });
}

const PIX: Action = {
  ...MAY_SELL,
  path: `${CHARGE}/pix`,
  title: 'Make a Pix',
  contract: ISSUE_PIX,
  asks: (_, form) => {
    const { amount = '', dueDate, expiresInSeconds, description, referenceTransaction } = form;
    const name = form['payer.name'];
    const documentNumber = form['payer.documentNumber'];
    return {
      body: {
        amount: centsOf(amount),
        ...(dueDate === undefined ? { expiresInSeconds: Number(expiresInSeconds) } : { dueDate }),
        ...((name ?? documentNumber) !== undefined && { payer: { name, documentNumber } }),
        description,
        referenceTransaction,
      },
    };
  },
  faultOf: (form) => amountFault(form),
  amountOf: (form) => typedAmount(form),
  again: pixForm,
  done: 'The Pix was asked for at the bank.',
  next: ({ merchantId }, answered) =>
    answered === undefined
      ? pathOf(PAYMENTS, { merchantId })
      : paymentPath(merchantId, (answered as AnswerOf<typeof ISSUE_PIX>).paymentId),
};

const USUAL_DAYS = 5;
function payerFields({ say }: Visit['wording']): readonly Field[] {
  return [
    { name: 'payer.name', label: say('Payer'), isRequired: true, mostCharacters: 80 },
    { name: 'payer.documentNumber', label: 'CPF / CNPJ', isRequired: true, mostCharacters: 18 },
    { name: 'payer.email', label: 'E-mail', mostCharacters: 255 },
    { name: 'payer.address.zipCode', label: 'CEP', isRequired: true, mostCharacters: 10 },
    { name: 'payer.address.street', label: say('Street'), isRequired: true, mostCharacters: 100 },
    { name: 'payer.address.number', label: say('House number'), isRequired: true, mostCharacters: 10 },
    { name: 'payer.address.complement', label: say('Complement'), mostCharacters: 60 },
    { name: 'payer.address.district', label: say('District'), isRequired: true, mostCharacters: 60 },
    { name: 'payer.address.city', label: say('City'), isRequired: true, mostCharacters: 60 },
    { name: 'payer.address.state', label: 'UF', isRequired: true, mostCharacters: 2 },
  ];
}

function boletoForm(visit: Visit, typed?: Form): Shown {
  const { say } = visit.wording;
  const today = saoPauloDay(instant(visit.now));
  return actionForm(visit, BOLETO, {
    typed,
    about: say('The bank registers it, and it can be paid in any bank until after its due day.'),
    fields: [
      accountField(visit),
      amountField(visit, { name: 'value' }),
      {
        name: 'dueDate',
        label: say('Due'),
        type: 'date',
        value: addDays(today, USUAL_DAYS),
        isRequired: true,
      },
      ...payerFields(visit.wording),
      { name: 'fine.percent', label: say('Fine after the due day, in percent'), mostCharacters: 5 },
      { name: 'interest.percentPerMonth', label: say('Interest a month, in percent'), mostCharacters: 5 },
      {
        name: 'instructions',
        label: say('Text for who takes the payment'),
        mostCharacters: 80,
      },
      reference(visit.wording),
    ],
  });
}

const ADDRESS = ['zipCode', 'street', 'number', 'complement', 'district', 'city', 'state'];

const BOLETO: Action = {
  ...MAY_SELL,
  path: `${CHARGE}/boleto`,
  title: 'Make a boleto',
  contract: ISSUE_BOLETO,
  asks: (visit, form) => {
    const { accountNumber, value = '', dueDate, instructions, referenceTransaction } = form;
    const percent = form['fine.percent'];
    const percentPerMonth = form['interest.percentPerMonth'];
    return {
      query: { accountNumber: accountNumber ?? accountOf(visit) },
      body: {
        value: reaisOf(value),
        dueDate,
        payer: {
          ...fieldGroup(form, 'payer', ['name', 'documentNumber', 'email']),
          address: fieldGroup(form, 'payer.address', ADDRESS) ?? {},
        },
        referenceTransaction,
        ...(instructions !== undefined && { instructions: [instructions] }),
        ...(percent !== undefined && { fine: { percent: reaisOf(percent) } }),
        ...(percentPerMonth !== undefined && { interest: { percentPerMonth: reaisOf(percentPerMonth) } }),
      },
    };
  },
  faultOf: (form) => amountFault(form, 'value'),
  amountOf: (form) => typedAmount(form, 'value'),
  again: boletoForm,
  done: 'The boleto was asked for at the bank.',
  next: ({ merchantId }, answered) =>
    answered === undefined
      ? pathOf(BOLETOS, { merchantId })
      : boletoPath(merchantId, (answered as AnswerOf<typeof ISSUE_BOLETO>).id),
};

export const CHARGE_ACTIONS: readonly Action[] = [PIX, BOLETO];
