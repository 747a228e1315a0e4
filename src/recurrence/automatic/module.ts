import { counter, databaseGauge } from '../../platform/metrics.ts';
import type { ModuleContext } from '../../platform/module.ts';
import { DISPATCH } from '../../platform/work/dispatch-policy.ts';
import { Dispatcher } from '../../platform/work/dispatcher.ts';
import type { ClockedWork, Work } from '../../platform/work/due-work.ts';
import { countingWhenRead } from '../../platform/work/every-so-often.ts';
import type { OutageWatch } from '../../platform/work/outage-watch.ts';
import { createWakeSignal } from '../../platform/work/wake-signal.ts';
import { awayPostponement } from '../../transactions/transaction.ts';
import { instant } from '../../values/instant.ts';
import type { DueBilling } from '../collection/due-billings.sql.ts';
import { type AdvanceTools, advanceAuthorization } from './advance-authorization.ts';
import { type AdvanceCollectionTools, advanceCollection } from './advance-collection.ts';
import { applyCollectedReceipts } from './apply-collected-receipts.ts';
import { collectByPix } from './collect-by-pix.ts';
import {
  claimLooks,
  claimLooksOf,
  type DueLook,
  earliestLook,
  LOOKS_DUE,
  listMerchantsToLookAt,
  putOffLook,
} from './due-looks.sql.ts';
import { countUnanswered } from './unanswered.sql.ts';

const COUNT_MILLISECONDS = 5_000;
/** Looks at the same time in a jump of a clock. */
const ASIDE = 8;
/** The most merchants with a clock ahead in one claim. */
const MOST_AHEAD = 100;
/** Claims of one run in a jump; the next run continues. */
const MOST_BATCHES = 50;

const UNANSWERED = databaseGauge(
  'parcela_pix_automatic_unanswered',
  'Authorizations and charges of Pix Automático about which the bank gives no clear answer.',
  ['kind'],
);
const UNANSWERED_OLDEST_AGE_SECONDS = databaseGauge(
  'parcela_pix_automatic_unanswered_oldest_age_seconds',
  'For how long the oldest of them has had none; 0: there is none.',
  ['kind'],
);
const UNANSWERED_MOST_TRIES = databaseGauge(
  'parcela_pix_automatic_unanswered_most_tries',
  'Most tries that one of them has had in a row.',
  ['kind'],
);
const GIVEN_UP = counter(
  'parcela_pix_automatic_given_up_total',
  'Authorizations that a bank did not answer in the time that the payer had: an alert.',
  ['provider'],
);

export type AutomaticPix = {
  readonly works: readonly Work[];
  readonly clocked: Pick<ClockedWork, 'earliestDue' | 'runDue'>;
  readonly collectByPix: (due: DueBilling, deadlineAt: number) => Promise<'pending' | 'notTaken'>;
};

/** Alarms: a payer waited for a code that never came. */
export function alarmOfUnanswered({
  log,
  metrics,
}: Pick<ModuleContext, 'log' | 'metrics'>): AdvanceTools['alarmUnanswered'] {
  const givenUp = metrics.counter(GIVEN_UP);
  return ({ merchantId, subscriptionId, bank: provider }) => {
    givenUp.inc({ provider });
    log.error({ merchantId, subscriptionId, provider }, 'a bank never answered about an authorization');
  };
}

/** Authorizations and their charges. `outage`: whether each bank answers. */
export function openAutomaticPix(
  { database, metrics }: Pick<ModuleContext, 'database' | 'metrics'>,
  tools: AdvanceCollectionTools,
  outage: OutageWatch,
): AutomaticPix {
  const looks = lookDispatcher(tools, outage);
  return {
    works: [
      looks,
      applyCollectedReceipts(tools),
      countingWhenRead('countUnansweredPix', COUNT_MILLISECONDS, metrics, async () => {
        for (const { kind, count, oldestAge, mostTries } of await countUnanswered(database)) {
          metrics.gauge(UNANSWERED).set({ kind }, count);
          metrics.gauge(UNANSWERED_OLDEST_AGE_SECONDS).set({ kind }, oldestAge);
          metrics.gauge(UNANSWERED_MOST_TRIES).set({ kind }, mostTries);
        }
      }),
    ],
    clocked: {
      earliestDue: (merchantId, until) => earliestLook(database, merchantId, until),
      async runDue(merchantId, signal) {
        const claim = async () => ({ tasks: await claimLooksOf(database, merchantId, ASIDE) });
        let looked = 0;
        for (let batch = 0; batch < MOST_BATCHES && !signal.aborted; batch += 1) {
          const { tasks } = await looks.sendAside(claim, ASIDE, signal);
          looked += tasks.length;
          if (tasks.length === 0) break;
        }
        return looked;
      },
    },
    collectByPix: (due, deadlineAt) => collectByPix(tools, due, deadlineAt),
  };
}

/** No bank waits for one that is away, and no merchant for one with many looks. */
function lookDispatcher(tools: AdvanceCollectionTools, outage: OutageWatch): Dispatcher<DueLook, boolean> {
  const { database, clock } = tools;
  const askedOf = ({ merchantId, bank: provider }: DueLook) => ({ merchantId, provider });
  return new Dispatcher<DueLook, boolean>({
    name: 'advanceAutomaticPix',
    limits: DISPATCH.automaticPix,
    wakeSignal: createWakeSignal(),
    outage,
    async claim(_limit, share) {
      const tasks = await claimLooks(database, share);
      for (const merchantId of await listMerchantsToLookAt(database, MOST_AHEAD)) {
        const free = share.free - tasks.length;
        if (free <= 0) break;
        tasks.push(...(await claimLooksOf(database, merchantId, free)));
      }
      return { tasks, isEnd: tasks.length === 0 };
    },
    async send(look) {
      const asksNobody = 'pixId' in look && look.isDecided;
      if (!asksNobody && !outage.mayAsk(askedOf(look))) return false;
      if ('pixId' in look) await advanceCollection(tools, look);
      else await advanceAuthorization(tools, look);
      return true;
    },
    async record(look, isAsked) {
      if (isAsked) return;
      const { seconds } = awayPostponement(outage.awaySeconds(look.bank));
      await putOffLook(database, look, instant(clock.now(look.merchantId) + seconds * 1_000));
    },
    about: (look) => ({ attributes: { 'parcela.merchant.id': look.merchantId }, follows: null }),
    piece: LOOKS_DUE,
    pieceValues: (passedOver) => [passedOver],
  });
}
