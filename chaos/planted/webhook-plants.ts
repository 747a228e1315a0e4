import type { Plant } from './plant.ts';

const OUTCOMES = 'src/transactions/methods/card/outcomes.sql.ts';
const CLAIMS = 'src/webhooks/deliveries/claims.sql.ts';
const TRIES = 'src/webhooks/deliveries/tries.sql.ts';
const TRY = 'src/webhooks/deliveries/try-delivery.ts';
const FATE = 'src/webhooks/deliveries/delivery-outcome.ts';
const SEND = 'src/webhooks/deliveries/send-delivery.ts';
const FREE = "const IS_FREE = '(d.lease_expires_at is null or d.lease_expires_at <= now())';";
const RECORDED_MOVEMENTS = `const TELL_LATER = statement(
  'deliveries.tell_later',
  \`with input as (
     select * from unnest($1::text[], $2::uuid[], $3::text[]) as i (merchant_id, transaction_id, moment_text)
   ), moves as (
     select m.* from input i join movements m using (merchant_id, transaction_id)
   ), news as (
     select t.merchant_id, t.transaction_id, t.account_number, t.callback_url, t.amount, t.installment_count, t.nsu,
       t.authorization_code, t.approved_at as moment, i.moment_text, 0 as lease, null::text as callback_status
     from input i join transactions t using (merchant_id, transaction_id)
   ), \${ENQUEUE_MOVEMENT_DELIVERIES}
   select count(*) as told from enqueued_movements\`,
);

`;

/** Mistakes in telling merchants. */
export const WEBHOOK_PLANTS: readonly Plant[] = [
  {
    name: 'deliveries are written after the commit of the outcome instead of in it',
    fast: 'test/webhooks/notified.test.ts',
    suite: 'webhooks',
    edits: [
      {
        file: OUTCOMES,
        find: `), \${ENQUEUE_MOVEMENT_DELIVERIES}, \${ENQUEUE_CALLBACK_DELIVERIES}, leased as (`,
        put: `), \${ENQUEUE_MOVEMENT_DELIVERIES.replace('from moves m', 'from (select * from moves where false) m')}, \${ENQUEUE_CALLBACK_DELIVERIES}, leased as (`,
      },
      {
        file: OUTCOMES,
        find: '/** Deliveries leased by a statement. More would wait here while the delivery work has free slots. */',
        put: `${RECORDED_MOVEMENTS}/** Deliveries leased by a statement. More would wait here while the delivery work has free slots. */`,
      },
      {
        file: OUTCOMES,
        find: '  dispatchDeliveries(deliverer, changed);\n  const recorded',
        put: `  dispatchDeliveries(deliverer, changed);
      const told = [rows.map((row) => row.merchantId), rows.map((row) => row.transactionId), rows.map((row) => saoPauloOffsetText(row.moment))];
      database.query(TELL_LATER, told).then(() => deliverer.notify(), () => {});
  const recorded`,
      },
    ],
    kinds: 'steps,cuts',
    kills: 80,
  },
  {
    name: 'a message does not wait for the one before it',
    fast: 'test/webhooks/deliver.test.ts',
    suite: 'webhooks',
    edits: [{ file: CLAIMS, find: 'from looked_at l where not l.is_blocked', put: 'from looked_at l' }],
    kinds: 'calm',
    kills: 24,
  },
  {
    name: 'a process that comes too late records its try all the same',
    fast: 'test/webhooks/deliver.test.ts',
    suite: 'webhooks',
    edits: [{ file: TRIES, find: `where \${IS_STILL_WAITING} and d.fence = i.fence`, put: 'where true' }],
    kinds: 'pauses',
    kills: 16,
  },
  {
    name: 'a delivery whose process died is never taken over',
    fast: 'test/webhooks/deliver.test.ts',
    suite: 'webhooks',
    edits: [{ file: CLAIMS, find: FREE, put: "const IS_FREE = 'd.lease_expires_at is null';" }],
    kinds: 'pairs',
    kills: 24,
  },
  {
    name: 'a delivery is recorded as delivered before it is sent',
    fast: 'test/webhooks/deliver.test.ts',
    suite: 'webhooks',
    edits: [
      {
        file: TRY,
        find: '  const made = await sendDelivery(',
        put: `  const early = {
    ...{ merchantId: delivery.merchantId, deliveryNumber: delivery.deliveryNumber, fence: delivery.fence, triedAt },
    fate: { state: 'delivered', pauseMilliseconds: null, isCounted: true } as const,
    made: { status: 200, failure: null, answer: null, milliseconds: 0 },
  };
  await tools.writeTry(early, performance.now() + RECORD_MILLISECONDS);
  const made = await sendDelivery(`,
      },
    ],
    kinds: 'calm',
    kills: 16,
  },
  {
    name: 'a claim does not ask whether another process is sending',
    fast: 'test/webhooks/deliver-processes.test.ts',
    suite: 'webhooks',
    edits: [{ file: CLAIMS, find: FREE, put: "const IS_FREE = 'true';" }],
    kinds: 'calm',
    kills: 24,
  },
  {
    name: 'each try has a webhook-id of its own',
    fast: 'test/webhooks/deliver.test.ts',
    suite: 'webhooks',
    edits: [
      {
        file: SEND,
        find: 'deliveryId(delivery), timestamp',
        put: 'deliveryId({ ...delivery, createdAt: delivery.createdAt + delivery.tries }), timestamp',
      },
    ],
    kinds: 'calm',
    kills: 24,
  },
  {
    name: 'a delivery that failed is dropped',
    fast: 'src/webhooks/deliveries/delivery-outcome.test.ts',
    suite: 'webhooks',
    edits: [
      { file: FATE, find: "pauseMilliseconds === null ? 'givenUp' : 'waiting'", put: "'givenUp' as const" },
    ],
    kinds: 'calm',
    kills: 16,
  },
  {
    name: 'a declined payment is called back as approved',
    fast: 'test/webhooks/notified.test.ts',
    suite: 'webhooks',
    edits: [
      {
        file: OUTCOMES,
        find: "when 'declined' then l.response_code end as callback_status",
        put: "when 'declined' then '0' end as callback_status",
      },
    ],
    kinds: 'calm',
    kills: 24,
  },
  {
    name: 'nobody looks whether a endpoint that failed is back',
    fast: 'test/webhooks/deliver-outages.test.ts',
    suite: 'webhooks',
    edits: [
      {
        file: CLAIMS,
        find: 'where (opened_until is null or nth <= $13) and',
        put: 'where (opened_until is null and $13::integer is not null) and',
      },
    ],
    kinds: 'outages',
    kills: 24,
  },
];
