import { type Static, Type } from 'typebox';
import { contract, type Fault } from '../../platform/http/endpoint.ts';
import { FAILURES } from '../../platform/http/failures.ts';
import { named, orNull } from '../../platform/http/named.ts';
import { refusedAnswer } from '../../platform/http/refusal.ts';
import { pageQuery } from '../../platform/pages.ts';
import { type Decimal, day, decimal, reais } from '../../transactions/bill-contract.ts';
import { endOfLife, LIFE_TEXT } from '../../transactions/payers/page-life.ts';
import { inCell } from '../../values/cell.ts';
import { reaisText } from '../../values/cents.ts';
import { ExactNumber } from '../../values/exact-json.ts';
import { type Instant, instant, saoPauloDay, saoPauloText } from '../../values/instant.ts';
import {
  type CallRules,
  callbackUrl,
  checkCallback,
  checkUrl,
  PUBLIC_ONLY,
  urlRefusals,
} from '../../webhooks/posting/url-rules.ts';
import type { BillsOfLink } from './bills-of-link.sql.ts';
import { type Link, type ShownState, shownState, TRY_METHODS, type WantedLink } from './link.ts';
import { LINK_ORDERS } from './links.sql.ts';

export const LINK_STATUS_WORDS = {
  open: 'Aberto',
  paying: 'Processando',
  paid: 'Pago',
  disabled: 'Desativado',
  expired: 'Expirado',
} as const satisfies Record<ShownState, string>;

const WORD_LIST = Object.values(LINK_STATUS_WORDS);
export type LinkStatusWord = (typeof WORD_LIST)[number];

export function stateOfWord(word: LinkStatusWord): ShownState {
  const found = (Object.keys(LINK_STATUS_WORDS) as ShownState[]).find(
    (state) => LINK_STATUS_WORDS[state] === word,
  );
  if (found === undefined) throw new Error(`no state of a link is shown as ${word}`);
  return found;
}

const OF_LINKS = { api: 'gateway', scope: 'gateway', group: 'Payment links' } as const;

const address = (description: string) =>
  Type.Optional(Type.String({ maxLength: 500, format: 'webAddress', description }));

const LINK_REQUEST = named('PaymentLinkRequest', {
  description: Type.String({
    minLength: 1,
    maxLength: 250,
    format: 'visibleText',
    description: 'What is paid: the buyer reads it on the page.',
  }),
  value: decimal(8, true, 'Reais, up to 99999999.99.'),
  qttyInstallments: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 12,
      description:
        'The most installments that the buyer may choose; default 1. The page offers those that the acquirer takes and that are not below the smallest installment.',
    }),
  ),
  expirationDate: Type.Optional(day(`The last day on which it can be paid, ${LIFE_TEXT}`)),
  urlCallBack: address(
    'A public address, https in production: the result and later changes of the payment are posted there.',
  ),
  urlReturn: address('Where the page leads back to, https in production. The result is added to it, signed.'),
  referenceTransaction: Type.Optional(
    Type.String({ maxLength: 50, description: 'Yours: the payment carries it.' }),
  ),
});
type LinkBody = Static<typeof LINK_REQUEST>;

export const RETURN_FAULTS = urlRefusals('urlReturn');

/** The rules for addresses depend on the operator's settings. */
export function checkLink(callRules: CallRules): (body: unknown) => Fault[] {
  return (body) => {
    const { urlCallBack, urlReturn } = (body ?? {}) as Readonly<Record<string, unknown>>;
    const faults: Fault[] = typeof urlCallBack === 'string' ? checkCallback(callRules, urlCallBack) : [];
    const checked = typeof urlReturn === 'string' ? checkUrl(callRules, urlReturn) : null;
    return checked === null || checked.ok ? faults : [...faults, RETURN_FAULTS[checked.reason]];
  };
}

export function readWantedLink(body: LinkBody, now: Instant): WantedLink {
  return {
    description: body.description,
    amount: reais(body.value as Decimal),
    mostInstallments: body.qttyInstallments ?? 1,
    expiresAt: endOfLife(body.expirationDate, now),
    callbackUrl: callbackUrl(body.urlCallBack ?? null),
    returnUrl: callbackUrl(body.urlReturn ?? null),
    referenceTransaction: body.referenceTransaction ?? null,
  };
}

const LINK_ANSWER = named('PaymentLink', {
  id: Type.String(),
  url: Type.String({ description: 'The page where the buyer pays.' }),
  status: Type.Enum(WORD_LIST, {
    description:
      'Processando: a try is under way, or its outcome unknown; no other begins. Pago stays, also when it is given back.',
  }),
  description: Type.String(),
  value: Type.Number({ description: 'Reais.' }),
  qttyInstallments: Type.Integer(),
  expirationDate: Type.String(),
  urlCallBack: orNull(Type.String(), 'As given.'),
  urlReturn: orNull(Type.String(), 'As given.'),
  referenceTransaction: orNull(Type.String(), 'As given.'),
  paymentId: orNull(Type.String(), 'The payment that paid it.'),
  method: orNull(Type.Enum([...TRY_METHODS]), 'How the last try pays; null: nobody has tried.'),
  reason: orNull(Type.String(), 'Why it was disabled.'),
  createdBy: Type.String(),
  createdDate: Type.String({ description: 'São Paulo time without zone.' }),
  bills: Type.Optional(
    Type.Array(
      named('PaymentLinkBill', {
        id: Type.String(),
        method: Type.Enum(['pix', 'boleto'] as const),
        isOpen: Type.Boolean({ description: 'It may still be paid.' }),
        receivedValue: Type.Number(),
        isToResolve: Type.Boolean({ description: 'It has an open exception.' }),
      }),
      { description: 'Of one link: its Pix and boletos.' },
    ),
  ),
  receivedValue: Type.Optional(Type.Number()),
  returnedValue: Type.Optional(Type.Number()),
  removalDate: Type.Optional(orNull(Type.String())),
});

const LINK_EXAMPLE = {
  id: '0199c1f2-6a2b-7c11-9a3e-5d1f0c7b2a44',
  url: 'https://gateway.example/pay/3f1c0a5e7d9b4c2a8e6f0d1b2c3a4958',
  status: LINK_STATUS_WORDS.open,
  description: 'Pedido 1001: um livro',
  value: 129.9,
  qttyInstallments: 3,
  expirationDate: '2026-12-21',
  urlCallBack: null,
  urlReturn: 'https://loja.com.br/obrigado',
  referenceTransaction: 'PEDIDO-1001',
  paymentId: null,
  method: null,
  reason: null,
  createdBy: 'loja-01',
  createdDate: '2026-11-21T10:00:00.123',
};

/** The address of a link's page without its key. `origin` null: unknown, so only the path is given. */
export function linkPagesAt(origin: string | null, cell: string | null): string {
  return `${origin ?? ''}/pay/${inCell(cell, '')}`;
}

export function writeLink(link: Link, pages: string, now: Instant): object {
  return {
    id: link.linkId,
    url: pages + link.pageKey,
    status: LINK_STATUS_WORDS[shownState(link, now)],
    description: link.description,
    value: new ExactNumber(reaisText(link.amount)),
    qttyInstallments: link.mostInstallments,
    expirationDate: saoPauloDay(instant(link.expiresAt - 1)),
    urlCallBack: link.callbackUrl,
    urlReturn: link.returnUrl,
    referenceTransaction: link.referenceTransaction,
    paymentId: link.paymentId,
    method: link.tryMethod,
    reason: link.disableReason,
    createdBy: link.createdBy,
    createdDate: saoPauloText(link.createdAt),
  };
}

/** `removalAt`: the result of `nextRemoval`. */
export type WholeLink = BillsOfLink & { readonly link: Link; readonly removalAt: Instant | null | undefined };

export function writeWholeLink(
  { link, removalAt, bills, returned }: WholeLink,
  pages: string,
  now: Instant,
): object {
  return {
    ...writeLink(link, pages, now),
    receivedValue: new ExactNumber(reaisText(link.receivedAmount)),
    returnedValue: new ExactNumber(reaisText(returned)),
    ...(removalAt !== undefined && { removalDate: removalAt && saoPauloText(removalAt) }),
    bills: bills.map(({ received, ...bill }) => ({
      ...bill,
      receivedValue: new ExactNumber(reaisText(received)),
    })),
  };
}

export const CREATE_LINK = contract({
  ...OF_LINKS,
  id: 'createPaymentLink',
  method: 'POST',
  path: '/v1/paymentlink/new',
  summary: 'Create a payment link',
  description:
    'A page of ours where your buyer pays once, by card, Pix or boleto. Send him its `url`. Card numbers never reach your server; ' +
    'ours gets them encrypted and keeps none in clear.',
  isRepeatable: true,
  body: LINK_REQUEST,
  bodyExample: {
    description: LINK_EXAMPLE.description,
    value: LINK_EXAMPLE.value,
    qttyInstallments: LINK_EXAMPLE.qttyInstallments,
    urlReturn: LINK_EXAMPLE.urlReturn,
    referenceTransaction: LINK_EXAMPLE.referenceTransaction,
  },
  check: checkLink(PUBLIC_ONLY),
  answers: {
    200: {
      links: {
        getPaymentLink: { id: '/id' },
        disablePaymentLink: { id: '/id' },
      },
      description: 'It can be paid.',
      schema: named('CreatedPaymentLink', { id: Type.String(), url: Type.String() }),
      example: { id: LINK_EXAMPLE.id, url: LINK_EXAMPLE.url },
    },
  },
});

const LINK_ID = Type.String({ minLength: 1, maxLength: 36, description: 'The id of the link.' });

const NO_LINK = refusedAnswer('You have no such link.', FAILURES.unknownPath);

export const GET_LINK = contract({
  ...OF_LINKS,
  id: 'getPaymentLink',
  method: 'GET',
  path: '/v1/paymentlink/information',
  summary: 'Read a payment link',
  description: 'As it stands.',
  query: Type.Object({ id: LINK_ID }),
  answers: { 200: { description: 'The link.', schema: LINK_ANSWER, example: LINK_EXAMPLE }, 404: NO_LINK },
});

export const LIST_LINKS = contract({
  ...OF_LINKS,
  id: 'listPaymentLinks',
  method: 'GET',
  path: '/v1/paymentlink/list',
  summary: 'List payment links',
  description: 'Items and total are of one moment.',
  query: Type.Object({
    status: Type.Optional(Type.Enum(WORD_LIST)),
    ...pageQuery(LINK_ORDERS),
  }),
  answers: {
    200: {
      links: { getPaymentLink: { id: '/items/0/id' } },
      description: 'One page of them; total counts all.',
      schema: named('PaymentLinkPage', {
        items: Type.Array(LINK_ANSWER),
        page: Type.Integer(),
        limit: Type.Integer(),
        total: Type.Integer(),
      }),
      example: { items: [LINK_EXAMPLE], page: 1, limit: 20, total: 1 },
    },
  },
});

export const DISABLE_LINK = contract({
  ...OF_LINKS,
  id: 'disablePaymentLink',
  method: 'POST',
  path: '/v1/paymentlink/disable',
  summary: 'Disable a payment link',
  description:
    'It cannot be paid any more. One that is disabled stays as it is. A Pix or boleto that waits is taken away first. While another try is under way, or the bank has not answered, it is 409: ask again shortly.',
  query: Type.Object({
    id: LINK_ID,
    reason: Type.String({
      minLength: 1,
      maxLength: 250,
      format: 'visibleText',
      description: 'Kept with it.',
    }),
  }),
  answers: {
    200: {
      description: 'The link as it is now.',
      schema: LINK_ANSWER,
      example: { ...LINK_EXAMPLE, status: LINK_STATUS_WORDS.disabled, reason: 'Venda cancelada' },
    },
    404: NO_LINK,
    409: refusedAnswer('It is paid, or is being paid.', {
      tag: '__general__',
      sentence: { pt: 'O link já foi pago.' },
    }),
  },
});
