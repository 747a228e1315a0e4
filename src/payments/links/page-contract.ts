import { Type } from 'typebox';
import { contract } from '../../platform/http/endpoint.ts';
import { named, orNull } from '../../platform/http/named.ts';
import { BODY_EXAMPLE, PAYER_REQUEST } from '../../transactions/methods/boleto/contract.ts';
import { CARD_OF_PAGE } from '../../transactions/payers/card-contract.ts';

const PARAMETERS = Type.Object({
  pageKey: Type.String({
    maxLength: 35,
    description: 'The last part of `url` of the link: nobody can guess it.',
  }),
});

const PAGE = {
  // Buyers have no token, and only the operations API needs none.
  api: 'operations',
  scope: null,
  group: 'Payment links',
  parameters: PARAMETERS,
} as const;

const NO_LINK = { description: 'A page that says that there is no such link.', contentType: 'text/html' };

export const SHOW_LINK_PAGE = contract({
  ...PAGE,
  id: 'showPaymentLinkPage',
  method: 'GET',
  path: '/pay/{pageKey}',
  summary: 'Show a payment link to its buyer',
  description:
    'In Portuguese; needs no login. The page encrypts the card in the browser. A link that is paid, over or disabled says so and takes no payment.',
  answers: { 200: { description: 'The page.', contentType: 'text/html' }, 404: NO_LINK },
});

const TRY_STATUSES = ['paid', 'declined', 'confirming', 'waiting', 'removed', 'notOpen'] as const;

const TRY_ANSWER = named('PaymentLinkTry', {
  status: Type.Enum([...TRY_STATUSES], {
    description:
      'paid; declined: nothing was charged, and another try may begin; confirming: the outcome is not known yet; waiting: the page shows a Pix or boleto to pay; removed: that one is over, and another try may begin; notOpen: it cannot be paid now.',
  }),
  message: orNull(
    Type.String(),
    'For the buyer who stays on the page: why it was declined, or what is not known yet.',
  ),
});

const ANSWERS = {
  200: {
    description: 'What became of it.',
    schema: TRY_ANSWER,
    example: { status: 'paid', message: null },
  },
  404: NO_LINK,
} as const;

export const PAY_LINK_BY_CARD = contract({
  ...PAGE,
  id: 'payLinkByCard',
  method: 'POST',
  path: '/pay/{pageKey}/card',
  summary: 'Pay a link by card',
  description:
    'Called by the page. One try at a time, and none once the link is paid: whatever is sent twice, the buyer is charged once.',
  body: named('PaymentLinkCardRequest', {
    ...CARD_OF_PAGE,
    installments: Type.Integer({ minimum: 1, maximum: 12 }),
  }),
  isExact: true,
  bodyExample: { encryptedCard: 'q83v'.repeat(128), installments: 1 },
  answers: ANSWERS,
});

export const PAY_LINK_BY_PIX = contract({
  ...PAGE,
  id: 'payLinkByPix',
  method: 'POST',
  path: '/pay/{pageKey}/pix',
  summary: 'Make a Pix that pays a link',
  description:
    'Called by the page, which shows its code. Until that Pix is paid, over or taken away nothing else pays the link.',
  answers: ANSWERS,
});

export const PAY_LINK_BY_BOLETO = contract({
  ...PAGE,
  id: 'payLinkByBoleto',
  method: 'POST',
  path: '/pay/{pageKey}/boleto',
  summary: 'Issue a boleto that pays a link',
  description:
    'Called by the page, which shows its line. Until that boleto is paid, over or taken away nothing else pays the link.',
  body: named('PaymentLinkBoletoRequest', {
    ...PAYER_REQUEST.properties,
    paperSecret: Type.Optional(
      Type.String({
        maxLength: 32,
        description: 'By which this browser alone finds its paper.',
      }),
    ),
  }),
  bodyExample: BODY_EXAMPLE.payer,
  answers: ANSWERS,
});

export const TAKE_LINK_BILL_AWAY = contract({
  ...PAGE,
  id: 'takeLinkBillAway',
  method: 'POST',
  path: '/pay/{pageKey}/cancel',
  summary: 'Take the Pix or boleto of a link away',
  description:
    'Called by the page, for a buyer who pays otherwise. One that was paid meanwhile pays the link.',
  answers: ANSWERS,
});
