import type { JudgedInstallment, MatchedPart } from '../../src/reconciliation/judging/judged-installment.ts';

import type { Day } from '../../src/values/instant.ts';

/** When the sample is expected. */
export const DUE = '2026-12-03' as Day;

/** R$ 100.00 at 2.49 %, on a day that files cover. */
export const INSTALLMENT: JudgedInstallment = {
  gross: 10_000,
  canceled: 0,
  chargedBack: 0,
  chargedBackByFiles: 0,
  feePortion: 249,
  expectedFee: 249,
  expectedNet: 9_751,
  expectedOn: DUE,
  paidOn: null,
  installmentCount: 1,
  state: 'authorized',
  isCovered: true,
  awaitsList: false,
  mayStillTake: false,
};

/** The line that pays it as expected. */
export const PAYOUT: MatchedPart = {
  kind: 'payout',
  rule: 'reference',
  fileNumber: 1,
  lineNumber: 2,
  gross: 10_000,
  fee: 249,
  net: 9_751,
  anticipationFee: null,
  bankOn: DUE,
  document: null,
  changeId: null,
  changeState: null,
};
