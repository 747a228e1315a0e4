import { test } from 'node:test';
import { assertShape, type RecordedShape } from '../kit/sales/recorded-shape.ts';
import { cieloCard, cieloSale, startCielo } from './running-simulator.ts';

const LINK = { Method: 'string', Rel: 'string', Href: 'string' };
/** What the manual's answers have of a sale, whichever host gives them. */
const PAYMENT: RecordedShape = {
  ...{ ServiceTaxAmount: 'number', Installments: 'number', Capture: 'boolean', Authenticate: 'boolean' },
  ...{
    ProofOfSale: 'string',
    Tid: 'string',
    AuthorizationCode: 'string',
    PaymentId: 'string',
    Type: 'string',
  },
  ...{ Amount: 'number', ReceivedDate: 'string', Currency: 'string', Country: 'string', Status: 'number' },
  ...{
    ReturnCode: 'string',
    ReturnMessage: 'string',
    IssuerTransactionId: 'string',
    SoftDescriptor: 'string',
  },
  CreditCard: {
    ...{
      CardNumber: 'string',
      Holder: 'string',
      ExpirationDate: 'string',
      SaveCard: 'boolean',
      Brand: 'string',
    },
    PaymentAccountReference: 'string',
  },
  Links: [LINK],
};
const CAPTURED = { CapturedAmount: 'number', CapturedDate: 'string' };
const COMMAND: RecordedShape = {
  ...{ Status: 'number', Tid: 'string', ProofOfSale: 'string', AuthorizationCode: 'string' },
  ...{ ReturnCode: 'string', ReturnMessage: 'string', Links: [LINK] },
};

test('answers have the fields of the manual, in their types', async (t) => {
  const cielo = await startCielo(t);
  const sold = await cielo.call('POST', '/sales/', cieloSale('p1'));
  const { PaymentId } = sold.body.Payment;
  const sale = { MerchantOrderId: 'string', Customer: { Name: 'string' } };
  assertShape(sold.body, { ...sale, Payment: { ...PAYMENT, ...CAPTURED } });
  const part = await cielo.call('PUT', `/sales/${PaymentId}/void?amount=100`);
  assertShape(part.body, {
    ...{ ...COMMAND, ReasonCode: 'number', ReasonMessage: 'string' },
    ...{ ProviderReturnCode: 'string', ProviderReturnMessage: 'string' },
  });
  const found = await cielo.call('GET', `/sales/${PaymentId}`);
  const voided = { VoidedAmount: 'number', VoidedDate: 'string' };
  assertShape(found.body, { ...sale, Payment: { ...PAYMENT, ...CAPTURED, ...voided } });
  const held = await cielo.call('POST', '/sales/', cieloSale('p2', { Capture: false }));
  assertShape(held.body, { ...sale, Payment: PAYMENT });
  assertShape((await cielo.call('PUT', `/sales/${held.body.Payment.PaymentId}/capture`)).body, COMMAND);
  const list = await cielo.call('GET', '/sales?merchantOrderId=p1');
  assertShape(list.body, { Payment: [{ PaymentId: 'string', ReceveidDate: 'string' }] });
  const checked = await cielo.call(
    'POST',
    '/zeroauth',
    cieloCard({ CardNumber: '5111111111111114', Brand: 'Master' }),
  );
  assertShape(checked.body, {
    ...{ Valid: 'boolean', ReturnCode: 'string', ReturnMessage: 'string' },
    ...{ IssuerTransactionId: 'string', TransactionLinkId: 'string' },
  });
  const wrong = await cielo.call('POST', '/sales/', cieloSale('p3', { Amount: 0 }));
  assertShape({ list: wrong.body }, { list: [{ Code: 'number', Message: 'string' }] });
  assertShape((await cielo.call('GET', '/cardBin/411011')).body, {
    ...{ Status: 'string', Provider: 'string', CardType: 'string', ForeignCard: 'boolean' },
    ...{ CorporateCard: 'boolean', Issuer: 'string', IssuerCode: 'string' },
  });
});
