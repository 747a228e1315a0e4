import { Type } from 'typebox';
import { contract } from '../../platform/http/endpoint.ts';

const PAGE_KEY = Type.Object({
  pageKey: Type.String({
    maxLength: 35,
    description: 'The last part of `url` of the boleto: nobody can guess it.',
  }),
});

const PRINT = {
  method: 'GET',
  // Wherever the service is reached: payers know no API.
  api: 'operations',
  scope: null,
  group: 'Boletos',
  parameters: PAGE_KEY,
} as const;

export const SHOW_BOLETO_PAGE = contract({
  ...PRINT,
  id: 'showBoletoPage',
  path: '/boletos/{pageKey}',
  summary: 'Show a boleto to its payer',
  description:
    'In Portuguese, printable on A4; needs no login. A boleto that cannot be paid any more, or not yet, ' +
    'is shown without bar code, and says why.',
  answers: {
    200: { description: 'The page.', contentType: 'text/html' },
    404: { description: 'A page that says that there is no such boleto.', contentType: 'text/html' },
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
    404: { description: 'A page that says that there is no such boleto.', contentType: 'text/html' },
  },
});
