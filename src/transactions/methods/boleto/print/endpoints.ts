import { Type } from 'typebox';
import type { BusinessClock } from '../../../../platform/business-clock.ts';
import { type Answer, contract, type Endpoint, endpoint } from '../../../../platform/http/endpoint.ts';
import { saoPauloDay } from '../../../../values/instant.ts';
import { answerPayer, htmlAnswer, type PageCall } from '../../../payers/answer-payer.ts';
import type { AskForPayer } from '../../../payers/open-payers-line.ts';
import { findBoletoToPrint } from '../boletos.sql.ts';
import { boletoDrawing } from './boleto-drawing.ts';
import type { BoletoToPrint } from './boleto-to-print.ts';
import { boletoPage, NO_BOLETO_PAGE, PAGE_HEADERS } from './page.ts';
import { pdfOf } from './pdf.ts';

const PAGE_PARAMETERS = Type.Object({
  pageKey: Type.String({
    maxLength: 35,
    description: 'The last part of `url` of the boleto: nobody can guess it.',
  }),
});

const PRINT = {
  method: 'GET',
  // Offered on the operations API, because payers have no API access.
  api: 'operations',
  scope: null,
  group: 'Boletos',
  parameters: PAGE_PARAMETERS,
} as const;

const NO_PAGE = { description: 'A page that says that there is no such boleto.', contentType: 'text/html' };

const SHOW_BOLETO_PAGE = contract({
  ...PRINT,
  id: 'showBoletoPage',
  path: '/boletos/{pageKey}',
  summary: 'Show a boleto to its payer',
  description:
    'In Portuguese, printable on A4; needs no login. A boleto that cannot be paid any more, or not yet, ' +
    'is shown without bar code, and says why.',
  answers: {
    200: { description: 'The page.', contentType: 'text/html' },
    404: NO_PAGE,
  },
});

export const SHOW_BOLETO_PDF = contract({
  ...PRINT,
  id: 'showBoletoPdf',
  path: '/boletos/{pageKey}/pdf',
  summary: 'Show a boleto to its payer as a PDF',
  description: 'One sheet of A4, with the same content as the page.',
  answers: {
    200: { description: 'The PDF.', contentType: 'application/pdf' },
    404: NO_PAGE,
  },
});

export type PrintTools = { readonly askForPayer: AskForPayer; readonly clock: BusinessClock };

export const PRINT_ENDPOINTS: readonly Endpoint<PrintTools>[] = [
  endpoint(SHOW_BOLETO_PAGE, (tools: PrintTools, call) =>
    answer(tools, call, (boleto) =>
      htmlAnswer(200, boletoPage(boleto, `${call.parameters.pageKey}/pdf`), PAGE_HEADERS),
    ),
  ),
  endpoint(SHOW_BOLETO_PDF, (tools: PrintTools, call) =>
    answer(tools, call, (boleto) => ({
      status: 200,
      text: {
        content: pdfOf(boletoDrawing(boleto), `Boleto ${boleto.ourNumber}`),
        type: 'application/pdf',
      },
      headers: {
        'content-disposition': `inline; filename="boleto-${boleto.ourNumber}.pdf"`,
        'referrer-policy': PAGE_HEADERS['referrer-policy'],
        'x-robots-tag': PAGE_HEADERS['x-robots-tag'],
      },
    })),
  ),
];

function answer(
  { askForPayer, clock }: PrintTools,
  call: PageCall,
  write: (boleto: BoletoToPrint) => Answer,
): Promise<Answer> {
  return answerPayer(askForPayer, call, {
    find: findBoletoToPrint,
    write: (boleto) => write({ ...boleto, today: saoPauloDay(clock.now(boleto.merchantId)) }),
    missing: htmlAnswer(404, NO_BOLETO_PAGE, PAGE_HEADERS),
  });
}
