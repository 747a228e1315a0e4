import { addDays, instant, saoPauloDay } from '../../src/values/instant.ts';
import { call } from '../kit/merchant.ts';
import type { Shop } from './hostile-service.ts';

const dueDay = () => addDays(saoPauloDay(instant(Date.now())), 30);

/** A range of due days with those of all these boletos. */
function dueDays(): { readonly startDate: string; readonly endDate: string } {
  return { startDate: addDays(dueDay(), -30), endDate: addDays(dueDay(), 30) };
}

function boletoToIssue({ listenerUrl }: Shop): Record<string, unknown> {
  return {
    value: 149.9,
    dueDate: dueDay(),
    payer: {
      name: 'Ana Souza',
      documentNumber: '52998224725',
      email: 'ana@cliente.example',
      address: {
        street: 'Rua das Flores',
        number: '100',
        complement: 'Sala 2',
        district: 'Centro',
        city: 'São Paulo',
        state: 'SP',
        zipCode: '01001000',
      },
    },
    referenceTransaction: 'PEDIDO-1001',
    instructions: ['Não receber depois do prazo.'],
    fine: { percent: 2 },
    interest: { percentPerMonth: 1 },
    discount: { value: 5, until: addDays(dueDay(), -1) },
    daysToExpire: 30,
    urlCallBack: `${listenerUrl}/retorno`,
  };
}

export async function newBoleto(shop: Shop): Promise<string> {
  return (await issued(shop)).id;
}

async function issued(shop: Shop): Promise<{ readonly id: string; readonly url: string }> {
  const path = `/api/billissuer/new?accountNumber=${shop.accountNumber}`;
  const reply = await call(shop.url, path, { token: shop.tokens.integration, body: boletoToIssue(shop) });
  if (reply.status !== 200) throw new Error(`the boleto was answered ${reply.status}: ${reply.text}`);
  return reply.body as { id: string; url: string };
}

export const knownBoleto = (shop: Shop): Promise<string> => shop.once('boleto', () => newBoleto(shop));

/** Under which a payer sees it. */
const knownPageKey = (shop: Shop): Promise<string> =>
  shop.once('boletoPage', async () => (await issued(shop)).url.slice(-32));

/** Valid requests of the endpoints of boletos, as `RECIPES` has those of all. */
export const BOLETO_RECIPES = {
  issueBoleto: [
    async (shop: Shop) => ({ query: { accountNumber: shop.accountNumber }, body: boletoToIssue(shop) }),
  ],
  getBoleto: [async (shop: Shop) => ({ parameters: { boletoId: await knownBoleto(shop) } })],
  // Its own: some of what is tried cancels it.
  cancelBoleto: [async (shop: Shop) => ({ parameters: { boletoId: await newBoleto(shop) } })],
  listBoletos: [
    async (shop: Shop) => {
      await knownBoleto(shop);
      const page = { statusBill: '1', page: '1', limit: '20' };
      return { query: { accountNumber: shop.accountNumber, ...dueDays(), ...page } };
    },
  ],
  showBoletoPage: [async (shop: Shop) => ({ parameters: { pageKey: await knownPageKey(shop) } })],
  showBoletoPdf: [async (shop: Shop) => ({ parameters: { pageKey: await knownPageKey(shop) } })],
  // Its own: what happens to it happens once.
  forceBoletoEvent: [
    async (shop: Shop) => ({
      parameters: { boletoId: await newBoleto(shop) },
      body: { type: 'paid', amount: 14_990, paidOn: saoPauloDay(instant(Date.now())) },
    }),
  ],
};
