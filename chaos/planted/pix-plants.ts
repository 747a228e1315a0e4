import type { Plant } from './plant.ts';

const PIX = 'src/transactions/methods/pix/**/*.ts';

/** Mistakes in what is given back, taken away and received by Pix. */
export const PIX_PLANTS: readonly Plant[] = [
  {
    name: 'a devolution in doubt is sent again under another id',
    fast: 'test/pix/kill.test.ts',
    suite: 'pix',
    edits: [
      {
        file: 'src/transactions/methods/pix/unresolved/resolve-unresolved-pix.ts',
        find: 'refundId: devolutionIdOf(refundId), amount };',
        put: `refundId: devolutionIdOf(refundId).replace(/^./, 'x'), amount };`,
      },
    ],
    kinds: 'answers',
    kills: 16,
  },
  {
    name: 'a Pix that the bank does not take away because it is paid is told as canceled',
    fast: 'test/pix/charge.test.ts',
    suite: 'pix',
    edits: [
      {
        file: PIX,
        find: `? changed({ event: 'keep' }, 'paidAtBank') : resultOfAbsence(pix);`,
        put: `? changed(endOf(pix), 'paidAtBank') : resultOfAbsence(pix);`,
      },
    ],
    kinds: 'calm',
    kills: 24,
  },
  {
    name: 'a payment that comes before the answer to its charge is passed over',
    fast: 'test/pix/charge.test.ts',
    suite: 'pix',
    edits: [
      {
        file: PIX,
        find: `if (pix.state === 'issuing') return { kind: 'wait', reason: 'beingIssued' };
  if (pix.payments.some(`,
        put: `if (pix.state === 'issuing') return { kind: 'apply', change: null, payment: null };
  if (pix.payments.some(`,
      },
    ],
    kinds: 'answers',
    kills: 16,
  },
  {
    name: 'a bank is not told that an authorization is over',
    fast: 'test/recurrence/automatic-pix-faults.test.ts',
    suite: 'pix',
    edits: [
      {
        file: 'src/recurrence/automatic/advance-authorization.ts',
        find: 'await end(tools, authorization, timeoutMilliseconds);',
        put: 'await endAuthorization(tools.database, authorization);',
      },
    ],
    kinds: 'calm',
    kills: 24,
  },
  {
    name: 'what is paid under a charge of Pix Automático that is over is passed over',
    fast: 'test/recurrence/automatic-pix-faults.test.ts',
    suite: 'pix',
    edits: [
      {
        file: 'src/recurrence/automatic/apply-collected-receipts.ts',
        find: 'if (last === null) return;',
        put: 'if (last === null || !last.isUnderWay) return;',
      },
    ],
    kinds: 'calm',
    kills: 24,
  },
  {
    name: 'a billing of Pix Automático that was believed absent is charged under another name at once',
    fast: 'test/recurrence/automatic-pix-faults.test.ts',
    suite: 'pix',
    edits: [
      {
        file: 'src/recurrence/automatic/collect-by-pix.ts',
        find: 'voided === null ? null : await againOf(tools, voided);',
        put: 'null;',
      },
    ],
    kinds: 'answers',
    kills: 24,
  },
];
