import { test } from 'node:test';
import { assertShape } from '../kit/sales/recorded-shape.ts';
import { redeSale, startRede } from './running-simulator.ts';

const LINKS = [{ method: 'string', rel: 'string', href: 'string' }] as const;
const RETURN = { returnCode: 'string', returnMessage: 'string' };
const BRAND = { name: 'string', ...RETURN };
const APPROVAL = { brandTid: 'string', transactionLinkId: 'string', authorizationCode: 'string' };
const REFUND = { refundId: 'string', status: 'string', amount: 'number', refundDateTime: 'string' };

test('answers have the fields that the public clients read, in their types', async (t) => {
  const rede = await startRede(t);
  const token = { access_token: 'string', token_type: 'string', expires_in: 'number', scope: 'string' };
  assertShape((await rede.token()).body, token);
  const sold = await rede.call('POST', '', redeSale('p1'));
  const named = { tid: 'string', nsu: 'string' };
  const sale = {
    ...{ reference: 'string', ...named, dateTime: 'string', amount: 'number', cardBin: 'string' },
    ...{ last4: 'string', ...RETURN, links: LINKS },
  };
  assertShape(sold.body, { ...sale, brand: { ...BRAND, ...APPROVAL } });
  const declined = await rede.call('POST', '', redeSale('p2', { amount: 1_041 }));
  assertShape(declined.body, { ...sale, brand: { ...BRAND, merchantAdviceCode: 'string' } });
  const { tid } = sold.body;
  const done = await rede.call('POST', `/${tid}/refunds`, { amount: 100, delayRefunds: true });
  assertShape(done.body, {
    ...{
      refundId: 'string',
      ...named,
      refundDateTime: 'string',
      cancelId: 'string',
      ...RETURN,
      links: LINKS,
    },
  });
  const found = await rede.call('GET', `/${tid}`);
  assertShape(found.body, {
    requestDateTime: 'string',
    authorization: {
      ...{
        dateTime: 'string',
        ...RETURN,
        affiliation: 'number',
        status: 'string',
        reference: 'string',
        ...named,
      },
      ...{
        kind: 'string',
        amount: 'number',
        installments: 'number',
        cardHolderName: 'string',
        cardBin: 'string',
      },
      ...{ last4: 'string', origin: 'number', subscription: 'boolean', brand: { ...BRAND, ...APPROVAL } },
    },
    capture: { dateTime: 'string', nsu: 'string', amount: 'number' },
    refunds: [REFUND],
    links: LINKS,
  });
  assertShape((await rede.call('GET', `/${tid}/refunds`)).body, {
    requestDateTime: 'string',
    refunds: [REFUND],
  });
  const held = await rede.call('POST', '', redeSale('p3', { capture: false }));
  const captured = { reference: 'string', ...named, dateTime: 'string', ...RETURN, links: LINKS };
  assertShape((await rede.call('PUT', `/${held.body.tid}`, { amount: 100 })).body, captured);
  assertShape((await rede.call('GET', '?reference=none')).body, RETURN);
});
