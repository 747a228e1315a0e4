import type { Plant } from './plant.ts';

const INTENTS = 'src/transactions/methods/card/intents.sql.ts';
const PAY_ONCE = 'src/payments/pay-once.ts';
const REMEMBERED = 'as resource_id from input i join written w using (transaction_id)';

/** Mistakes in the header `Idempotency-Key`. */
export const KEY_PLANTS: readonly Plant[] = [
  {
    name: 'the key is committed after the answer instead of with the intent',
    fast: 'test/payments/idempotency.test.ts',
    edits: [
      { file: INTENTS, find: REMEMBERED, put: `${REMEMBERED} where false` },
      {
        file: PAY_ONCE,
        find: 'export type PayOnceTools',
        put: `const REMEMBER = statement(
  'idempotency.remember',
  \`insert into idempotency_keys (merchant_id, key_hash, body_fingerprint, body_fingerprint_key_id, resource_id)
   values ($1, $2, $3, $4, $5) on conflict do nothing\`,
);

export type PayOnceTools`,
      },
      {
        file: PAY_ONCE,
        find: "import type { Once } from '../platform/http/failures.ts';",
        put: "import type { Once } from '../platform/http/failures.ts';\nimport { statement } from '../platform/postgres/database.ts';",
      },
      {
        file: PAY_ONCE,
        find: `    make: (isFirst) =>
      payByCard(paying, seller, payment, { request, isFirst }, deadlineAt).finally(looks?.forgetCard),`,
        put: `    make: async (isFirst) => {
      const made = await payByCard(paying, seller, payment, { request, isFirst }, deadlineAt);
      if (request !== null && made !== 'keyUsed' && made.kind === 'approved') {
        const [{ print, keyId }] = request.bodyFingerprints;
        const values = [merchantId, request.keyHash, print, keyId, made.paymentId];
        tools.database.query(REMEMBER, values).catch(() => {});
      }
      return made;
    },`,
      },
    ],
    kinds: 'calm,steps',
    kills: 60,
  },
  {
    name: 'the unique key of the keys is dropped',
    fast: 'test/payments/idempotency.test.ts',
    edits: [
      {
        file: 'migrations/*.sql',
        find: 'primary key (merchant_id, key_hash)\n',
        put: 'primary key (merchant_id, key_hash, resource_id)\n',
      },
    ],
    kinds: 'calm',
    kills: 120,
  },
  {
    name: 'a used key is not looked up',
    fast: 'test/payments/idempotency.test.ts',
    edits: [
      {
        file: 'src/idempotency/answer-once.ts',
        find: 'request === null ? Promise.resolve(null) : findEarlier(tools, merchantId, request, effect);',
        put: 'request === null ? Promise.resolve(null) : Promise.resolve(null as Awaited<ReturnType<typeof findEarlier>>);',
      },
    ],
    kinds: 'calm',
    kills: 24,
  },
  {
    name: 'a cancel forgets its key',
    fast: 'test/payments/idempotency.test.ts',
    edits: [
      {
        file: 'src/transactions/cancels/cancels.sql.ts',
        find: 'as resource_id from input i\n',
        put: 'as resource_id from (select * from input where false) i\n',
      },
    ],
    kinds: 'calm',
    kills: 40,
  },
  {
    name: 'a repetition that comes meanwhile is told of an error',
    fast: 'test/payments/idempotency.test.ts',
    edits: [
      {
        file: PAY_ONCE,
        find: "    case 'charging':\n    case 'unresolved':\n      return null;\n    case 'voided':",
        put: "    case 'charging':\n    case 'unresolved':\n    case 'voided':",
      },
    ],
    kinds: 'calm',
    kills: 60,
  },
];
