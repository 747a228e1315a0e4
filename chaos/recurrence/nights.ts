import { CRASHES, type Strike, TERMINATIONS } from '../kinds/database.ts';
import { countStrike, type Kind } from '../kinds/kind.ts';
import type { Scene } from '../rounds.ts';
import type { ChargingShop } from './chaos-merchant.ts';
import { isQuiet } from './judge/ledger-view.ts';
import { again, pause } from './patience.ts';
import { awaitQuiet, nextChargingRound, type RoundSettings, shopOf, stateOf } from './rounds.ts';

/** What one merchant has due in a night; the judge reads all of it at once. */
const A_MERCHANT = 400;
/** The service's own lease, and the time in which another process takes over. */
const PAUSE_MILLISECONDS = 12_000;
const LONGEST_WAIT_MILLISECONDS = 600;
const QUIET_MILLISECONDS = 120_000;
const SHARE_OF_SPOILED = 0.02;

/** A process that is charging dies, or sleeps past its leases while the others go on. */
const OF_PROCESSES: readonly Strike[] = [
  async ({ fleet, chance }) => {
    const [victim] = await fleet.pair();
    await victim.orders.arm(victim.processId, 'kill', chance.whole(1, 2_000));
    await Promise.race([victim.ended, pause(2_000)]);
    if (victim.isAlive()) await victim.kill();
    return 'a process killed';
  },
  async ({ fleet }) => {
    const [victim] = await fleet.pair();
    victim.signal('SIGSTOP');
    await pause(PAUSE_MILLISECONDS);
    victim.signal('SIGCONT');
    return 'a process asleep past its leases';
  },
];

const HELD: readonly Strike[] = TERMINATIONS.slice(0, 2);
const STRIKES: readonly Strike[] = [...OF_PROCESSES, ...HELD, ...CRASHES];

/** Very many due at one moment, and faults one after another until all are charged. */
export const NIGHTS: Kind = {
  name: 'nights',
  about: 'thousands of billings due at once, while sessions, processes and PostgreSQL itself are killed',
  share: 6,
  isKilling: true,
  async run(scene, times, tally) {
    for (let night = 1; tally.faults < times; night += 1) {
      const shops = await fillNight(scene, `${scene.name}.${night}`);
      await makeDue(scene, shops);
      while (tally.faults < times && !(await areQuiet(scene, shops))) {
        await pause(scene.chance.next() * LONGEST_WAIT_MILLISECONDS);
        // A server that was just killed lets nobody hold a lock: another fault is drawn when it is back.
        const what = await again(() => scene.chance.pick(STRIKES)(scene));
        countStrike(tally, what);
        scene.note(`${scene.name}.${night} ${what}`);
      }
      await Promise.all(shops.map((shop) => awaitQuiet(scene, shop, QUIET_MILLISECONDS)));
    }
  },
};

/** All are enrolled before any of them is due. */
async function fillNight(scene: Scene, night: string): Promise<ChargingShop[]> {
  const { billings } = stateOf(scene.bench);
  const shops: ChargingShop[] = [];
  for (let left = billings; left > 0; left -= A_MERCHANT) {
    const round = `${night}.${shops.length + 1}`;
    const subscriptions = Math.min(left, A_MERCHANT);
    const settings: RoundSettings = { subscriptions, days: 0, isOneNight: true, spoiled: SHARE_OF_SPOILED };
    const { batch, victim, witness } = await nextChargingRound(scene, round, settings);
    const shop = shopOf(scene, round);
    shop.sleepers.push(untilDue(scene, shop));
    await batch.send(victim, witness);
    shops.push(shop);
  }
  return shops;
}

const NOT_DUE = `select 1 from billings where merchant_id = $1 and installment = 1 and state = 'opened' and charges_made = 0
  limit 1`;

/** Nothing is under way at a merchant whose night has not come. */
async function untilDue({ bench }: Scene, { merchantId }: ChargingShop): Promise<void> {
  while ((await bench.query(NOT_DUE, [merchantId])).length > 0) await pause(500);
}

/** They were due tomorrow: of that their merchants may have been notified today, which was yesterday then. */
const MAKE_DUE = [
  'update subscriptions set first_due_on = first_due_on - 1 where merchant_id = any ($1)',
  'update billings set due_on = due_on - 1, charge_on = charge_on - 1 where merchant_id = any ($1)',
  `update deliveries set scheduled_at = scheduled_at - interval '1 day'
   where merchant_id = any ($1) and kind = 'notice' and body::jsonb ->> 'event' = 'upcoming'`,
];

async function makeDue({ bench }: Scene, shops: readonly ChargingShop[]): Promise<void> {
  const ids = shops.map(({ merchantId }) => merchantId);
  const client = await bench.connect();
  try {
    await client.query('begin');
    for (const text of MAKE_DUE) await client.query(text, [ids]);
    await client.query('commit');
  } finally {
    await client.end();
  }
}

async function areQuiet({ bench }: Scene, shops: readonly ChargingShop[]): Promise<boolean> {
  for (const { merchantId } of shops) if (!(await isQuiet(bench, merchantId))) return false;
  return true;
}
