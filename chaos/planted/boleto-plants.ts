import type { Plant } from './plant.ts';

const BOLETOS = 'src/transactions/methods/boleto/**/*.ts';

/** Mistakes in issuing boletos and in what payers pay. */
export const BOLETO_PLANTS: readonly Plant[] = [
  {
    name: 'a boleto whose registration is in doubt is issued again under another number',
    fast: 'test/boletos/unresolved.test.ts',
    suite: 'boletos',
    edits: [
      {
        file: BOLETOS,
        find: 'const request = requestOf({ ...boleto, payer });',
        put: 'const request = requestOf({ ...boleto, payer, ourNumber: String(9e10 + Number(boleto.ourNumber)) });',
      },
    ],
    kinds: 'answers',
    kills: 16,
  },
  {
    name: 'a payment that the bank reports twice is recorded twice',
    fast: 'test/boletos/return-files.test.ts',
    suite: 'boletos',
    edits: [
      {
        file: BOLETOS,
        find: 'left($2, 4) || i.change_id,',
        put: `left($2, 4) || i.change_id || '.' || i.place,`,
      },
    ],
    kinds: 'answers',
    kills: 16,
  },
  {
    name: 'a payment that comes before the answer to its registration is refused',
    fast: 'src/transactions/methods/boleto/changes/bank-change.test.ts',
    suite: 'boletos',
    edits: [
      {
        file: BOLETOS,
        find: `if (boleto.state === 'issuing') return { kind: 'wait', reason: 'beingIssued' };`,
        put: `if (boleto.state === 'issuing') return { kind: 'refuse', reason: 'unknownBoleto' };`,
      },
    ],
    kinds: 'answers',
    kills: 24,
  },
  {
    name: 'a write-off is written to the bank anew at each ask',
    fast: 'test/boletos/remessa.test.ts',
    suite: 'boletos',
    edits: [
      {
        file: 'src/providers/banks/remittances/instructions.sql.ts',
        find: ` and a.is_open is not true`,
        put: '',
      },
    ],
    kinds: 'remessas',
    kills: 12,
  },
];
