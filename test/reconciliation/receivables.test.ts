import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { businessDayFrom } from '../../src/values/business-day.ts';
import type { Day } from '../../src/values/instant.ts';
import { arrive } from '../kit/clock.ts';
import { type CallOptions, call } from '../kit/merchant.ts';
import {
  daysAfter,
  openReconciledService,
  type ReconciledService,
  type Shown,
} from './reconciled-service.ts';

let service: ReconciledService;

before(async () => {
  service = await openReconciledService({ PARCELA_FEES: 'mastercard:1=2.49@2, mastercard:2-6=3.10@31/30' });
});
after(() => service.close());

const forecast = (day: string, days: number) => businessDayFrom(daysAfter(day, days) as Day);

test('each installment of a sale is shown with its fee and the day on which its money is expected', async () => {
  const sold = await service.sell(10_001, 3);
  const today = await service.today();
  const shown = await service.searchByCode(sold);
  const [first, ...others] = shown;
  assert.deepEqual(first, {
    transactionDate: first?.transactionDate,
    terminal: '',
    cardNumber: '515590******0001',
    cardType: 'Crédito',
    cardName: 'mastercard',
    codAuth: sold.codAuth,
    nsu: sold.nsu,
    installmentNumber: 1,
    installmentsCount: 3,
    installmentValue: 33.35,
    transactionTotalValue: 100.01,
    installmentStatus: 'Autorizada',
    discountMdrValue: 1.03,
    discountMdrTax: 3.1,
    discountAntecipationValue: 0,
    discountAntecipationTax: 0,
    receivedValue: 0,
    receivedDateForeast: forecast(today, 31),
    receivedDateForecast: forecast(today, 31),
    receivedDateEffective: null,
    receivedType: '',
    receivedStatus: 'Previsto',
    transactionReference: sold.reference,
    transactionPaymentIdWeb: sold.paymentId,
  });
  assert.match(`${first?.transactionDate}`, new RegExp(`^${today}T\\d\\d:\\d\\d:\\d\\d$`));
  assert.deepEqual(
    others.map(({ installmentNumber, installmentValue, receivedDateForecast }) => [
      installmentNumber,
      installmentValue,
      receivedDateForecast,
    ]),
    [
      [2, 33.33, forecast(today, 61)],
      [3, 33.33, forecast(today, 91)],
    ],
  );
  // Of the whole sale 310.031 cents, in whole cents.
  const fees = shown.map(({ discountMdrValue }) => Math.round((discountMdrValue as number) * 100));
  assert.equal(
    fees.reduce((sum, fee) => sum + fee, 0),
    310,
  );
});

test('amounts have four decimals on the wire', async () => {
  const { nsu, codAuth } = await service.sell(10_000, 1);
  const path = `/api/transaction/concil/search-by-code?accountNumber=${service.accountNumber}`;
  const reply = await call(service.integrationUrl, path, {
    token: service.integrationToken,
    body: { nsu, codAuth },
  });
  assert.match(reply.text, /"installmentValue":100\.0000,"transactionTotalValue":100\.0000/);
  assert.match(reply.text, /"discountMdrValue":2\.4900,"discountMdrTax":2\.4900/);
});

test('what is given back before the payout is not expected any more', async () => {
  const sold = await service.sell(10_000, 2);
  const cancel = (amount: number) =>
    call(service.gatewayUrl, `/v1/payments/${sold.paymentId}/cancel`, {
      token: service.token,
      body: { amount },
    });
  // A part of the last installment, which makes no movement.
  assert.equal((await cancel(1_000)).status, 200);
  const expected = (shown: Shown[]) =>
    shown.map(({ installmentStatus, discountMdrValue, receivedStatus }) => [
      installmentStatus,
      discountMdrValue,
      receivedStatus,
    ]);
  assert.deepEqual(expected(await service.searchByCode(sold)), [
    ['Autorizada', 1.55, 'Previsto'],
    ['Autorizada', 1.24, 'Previsto'],
  ]);
  assert.equal((await cancel(4_000)).status, 200);
  assert.deepEqual(expected(await service.searchByCode(sold)), [
    ['Autorizada', 1.55, 'Previsto'],
    ['Cancelada', 0, 'Cancelado'],
  ]);
});

test('what the acquirer paid is shown with what it kept, and stays when the holder takes it back', async () => {
  await service.chargeFees(300);
  const sold = await service.sell(10_000, 2);
  await arrive(service.gatewayUrl, service.token, { advanceDays: 31 });
  const today = await service.today();
  const [first, second] = await service.searchByCode(sold);
  const received = (shown: Shown | undefined) => [
    shown?.installmentStatus,
    shown?.discountMdrValue,
    shown?.discountMdrTax,
    shown?.receivedValue,
    shown?.receivedType,
    shown?.receivedStatus,
  ];
  assert.deepEqual(received(first), ['Paga', 1.5, 3, 48.5, 'Liquidação', 'Recebido']);
  assert.equal(first?.receivedDateEffective, forecast(today, -1));
  assert.deepEqual(received(second), ['Autorizada', 1.55, 3.1, 0, '', 'Previsto']);
  await service.event(sold.paymentId, 'chargeback', 1);
  const [canceled] = await service.searchByCode(sold);
  assert.deepEqual(received(canceled), ['Cancelada', 1.5, 3, 48.5, 'Liquidação', 'Recebido']);
  const [row] = await service.auditor.query(
    `select expected_net::int as net, canceled::int as canceled from receivables
     where transaction_id = $1 and installment_number = 1`,
    [sold.paymentId],
  );
  assert.deepEqual(row, { net: 4_845, canceled: 5_000 });
});

test('a code that was never sold under finds nothing, and so does one of another account', async () => {
  const sold = await service.sell(10_000, 1);
  assert.deepEqual(await service.searchByCode({ nsu: sold.nsu, codAuth: 'OTHER1' }), []);
  const path = '/api/transaction/concil/search-by-code?accountNumber=999999';
  const body = { nsu: sold.nsu, codAuth: sold.codAuth };
  const reply = await call(service.integrationUrl, path, { token: service.integrationToken, body });
  assert.equal(reply.status, 404);
});

test('search by code and exports answer to POST and GET, from body and query, in capital letters too', async () => {
  const sold = await service.sell(10_000, 1);
  const { accountNumber, integrationToken: token } = service;
  const { nsu, codAuth } = sold;
  const ask = (path: string, query: Record<string, string>, options: CallOptions = {}) =>
    call(service.integrationUrl, `${path}?${new URLSearchParams(query)}`, { token, ...options });
  const found = await service.searchByCode(sold);
  const search = '/api/transaction/concil/search-by-code';
  const asked = { accountNumber, nsu, codAuth };
  assert.deepEqual((await ask(search, asked)).body, found);
  assert.deepEqual(
    (await ask(search.toUpperCase(), { accountNumber, Nsu: nsu }, { body: { codAuth } })).body,
    found,
  );
  const missing = await ask(search, { accountNumber, nsu });
  assert.deepEqual([missing.status, missing.body[0].tag], [400, 'codAuth']);
  const today = await service.today();
  const days = { startDate: today, endDate: today };
  const file = await ask('/api/transaction/concil/export-by-operation-date', { accountNumber, ...days });
  const body = { accountNumber, ...days };
  const posted = await ask('/API/Transaction/concil/export-by-operation-date', {}, { body });
  assert.deepEqual([posted.status, posted.body], [200, file.body]);
});
