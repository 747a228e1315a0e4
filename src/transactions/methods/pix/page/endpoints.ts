import { Type } from 'typebox';
import type { BusinessClock } from '../../../../platform/business-clock.ts';
import { type Answer, contract, type Endpoint, endpoint } from '../../../../platform/http/endpoint.ts';
import { qrCodePng, qrCodeSvg } from '../../../../values/qr-code.ts';
import { answerPayer, htmlAnswer, type PageCall } from '../../../payers/answer-payer.ts';
import type { AskForPayer } from '../../../payers/open-payers-line.ts';
import { findCodeToShow, findPixToPay } from '../pix-pages.sql.ts';
import { NO_PIX_PAGE, PIX_PAGE_HEADERS, pixPage } from './page.ts';
import { payableCode } from './pix-to-pay.ts';

const PAGE = {
  method: 'GET',
  // Offered on the operations API, because payers have no API access.
  api: 'operations',
  scope: null,
  group: 'Pix',
  parameters: Type.Object({
    pageKey: Type.String({
      maxLength: 35,
      description: 'The last part of `url` of the Pix: nobody can guess it.',
    }),
  }),
} as const;

const NO_PIX_ANSWER = {
  description: 'A page that says that there is no such Pix.',
  contentType: 'text/html',
};
const OVER = 'A Pix that cannot be paid, or not yet, has none (404).';

const SHOW_PIX_PAGE = contract({
  ...PAGE,
  id: 'showPixPage',
  path: '/pix/{pageKey}',
  summary: 'Show a Pix to its payer',
  description:
    'In Portuguese; needs no login. It asks again by itself and shows the payment. A Pix that cannot be paid any more, or not yet, is shown without QR code, and says why.',
  answers: { 200: { description: 'The page.', contentType: 'text/html' }, 404: NO_PIX_ANSWER },
});

const SHOW_PIX_SVG = contract({
  ...PAGE,
  id: 'showPixSvg',
  path: '/pix/{pageKey}/qr.svg',
  summary: 'Show the QR code of a Pix as SVG',
  description: OVER,
  answers: { 200: { description: 'The QR code.', contentType: 'image/svg+xml' }, 404: NO_PIX_ANSWER },
});

const SHOW_PIX_PNG = contract({
  ...PAGE,
  id: 'showPixPng',
  path: '/pix/{pageKey}/qr.png',
  summary: 'Show the QR code of a Pix as PNG',
  description: OVER,
  answers: { 200: { description: 'The QR code.', contentType: 'image/png' }, 404: NO_PIX_ANSWER },
});

export type PixPageTools = { readonly askForPayer: AskForPayer; readonly clock: BusinessClock };

const missing = htmlAnswer(404, NO_PIX_PAGE, PIX_PAGE_HEADERS);

/** Shops embed the picture in pages of their own. */
const PICTURE_HEADERS = {
  'content-security-policy': PIX_PAGE_HEADERS['content-security-policy'],
  'referrer-policy': 'no-referrer',
  'x-robots-tag': 'noindex, nofollow',
};

export const PIX_PAGE_ENDPOINTS: readonly Endpoint<PixPageTools>[] = [
  endpoint(SHOW_PIX_PAGE, ({ askForPayer, clock }: PixPageTools, call) =>
    answerPayer(askForPayer, call, {
      ...{ find: findPixToPay, missing },
      write: (pix) => htmlAnswer(200, pixPage({ ...pix, now: clock.now(pix.merchantId) }), PIX_PAGE_HEADERS),
    }),
  ),
  endpoint(SHOW_PIX_SVG, (tools: PixPageTools, call) =>
    answerPicture(tools, call, qrCodeSvg, 'image/svg+xml'),
  ),
  endpoint(SHOW_PIX_PNG, (tools: PixPageTools, call) => answerPicture(tools, call, qrCodePng, 'image/png')),
];

/** The QR code of a Pix, or of an authorization that waits for its payer to agree. */
function answerPicture(
  { askForPayer, clock }: PixPageTools,
  call: PageCall,
  draw: (text: string) => string | Buffer,
  type: string,
): Promise<Answer> {
  return answerPayer(askForPayer, call, {
    find: async (database, pageKey) =>
      (await findPixToPay(database, pageKey)) ?? (await findCodeToShow(database, pageKey)),
    write: (found) => {
      const code = payableCode({ state: 'waiting', ...found, now: clock.now(found.merchantId) });
      if (code === null) return missing;
      return { status: 200, text: { content: draw(code), type }, headers: PICTURE_HEADERS };
    },
    missing,
  });
}
