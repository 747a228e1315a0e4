import type { BusinessClock } from '../../platform/business-clock.ts';
import { type Answer, type Endpoint, endpoint } from '../../platform/http/endpoint.ts';
import { tooManyAnswer } from '../../platform/http/refusal.ts';
import { saoPauloDay } from '../../values/instant.ts';
import { boletoDrawing } from './boleto-drawing.ts';
import type { BoletoToPrint } from './boleto-to-print.ts';
import { SHOW_BOLETO_PAGE, SHOW_BOLETO_PDF } from './contract.ts';
import type { AskForPayer, SlowDown } from './open-payers-line.ts';
import { boletoPage, NO_BOLETO_PAGE, PAGE_HEADERS } from './page.ts';
import { pdfOf } from './pdf.ts';
import { findBoletoToPrint } from './printed-boletos.sql.ts';

export type PrintTools = { readonly askForPayer: AskForPayer; readonly clock: BusinessClock };

const NO_BOLETO: Answer = {
  status: 404,
  text: { content: NO_BOLETO_PAGE, type: 'text/html; charset=utf-8' },
  headers: PAGE_HEADERS,
};

export const PRINT_ENDPOINTS: readonly Endpoint<PrintTools>[] = [
  endpoint(SHOW_BOLETO_PAGE, async (tools: PrintTools, { parameters: { pageKey }, address, language }) => {
    const boleto = await find(tools, pageKey, address);
    if (boleto === null) return NO_BOLETO;
    if ('secondsToWait' in boleto) return tooManyAnswer(boleto.secondsToWait, language);
    const content = boletoPage(boleto, `${pageKey}/pdf`);
    return { status: 200, text: { content, type: 'text/html; charset=utf-8' }, headers: PAGE_HEADERS };
  }),
  endpoint(SHOW_BOLETO_PDF, async (tools: PrintTools, { parameters: { pageKey }, address, language }) => {
    const boleto = await find(tools, pageKey, address);
    if (boleto === null) return NO_BOLETO;
    if ('secondsToWait' in boleto) return tooManyAnswer(boleto.secondsToWait, language);
    const content = pdfOf(boletoDrawing(boleto), `Boleto ${boleto.ourNumber}`);
    const headers = {
      'content-disposition': `inline; filename="boleto-${boleto.ourNumber}.pdf"`,
      'referrer-policy': PAGE_HEADERS['referrer-policy'],
      'x-robots-tag': PAGE_HEADERS['x-robots-tag'],
    };
    return { status: 200, text: { content, type: 'application/pdf' }, headers };
  }),
];

/**
 * As the keys are made, behind the cell that has led here: whatever else a stranger asks for is no question
 * to the database.
 */
const PAGE_KEY = /^(?:[a-z][a-z0-9]\.)?([0-9a-f]{32})$/;

async function find(
  { askForPayer, clock }: PrintTools,
  place: string,
  address: string,
): Promise<BoletoToPrint | SlowDown | null> {
  const pageKey = PAGE_KEY.exec(place)?.[1];
  if (pageKey === undefined) return null;
  const boleto = await askForPayer(address, (database) => findBoletoToPrint(database, pageKey));
  if (boleto === null || 'secondsToWait' in boleto) return boleto;
  return { ...boleto, today: saoPauloDay(clock.now(boleto.merchantId)) };
}
