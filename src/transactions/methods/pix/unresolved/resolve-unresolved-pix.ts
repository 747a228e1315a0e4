import { behindAnswer, unusable } from '../../../../platform/channels/unclear.ts';
import type { ModuleContext } from '../../../../platform/module.ts';
import type { BatchedWrite } from '../../../../platform/postgres/batched-writes.ts';
import { DISPATCH } from '../../../../platform/work/dispatch-policy.ts';
import type { Work } from '../../../../platform/work/due-work.ts';
import type { OutageWatch } from '../../../../platform/work/outage-watch.ts';
import type { WakeSignal } from '../../../../platform/work/wake-signal.ts';
import type { PixBanks } from '../../../../providers/open-pix-banks.ts';
import type { PixRefundAnswer } from '../../../../providers/pix/pix-bank.ts';
import { REQUEST_LEASE_MARGIN_MILLISECONDS, resolveRequests } from '../../../requests/resolve-requests.ts';
import { outcomeOfAnswer } from '../cancel-pix.ts';
import { nameOf, type Pix, requestOf } from '../pix.ts';
import type { PixMoved, PixMoveRow } from '../pix-charges.sql.ts';
import { moveOf, type PixChange } from '../pix-move.ts';
import {
  type PixChanged,
  type PixResult,
  type PixWarning,
  resultOfErased,
  resultOfFurtherIssue,
  resultOfLastSearch,
  resultOfOver,
  resultOfRemove,
  resultOfSearch,
} from '../pix-question.ts';
import { hurryReceipts, keepingReceipts } from '../receipts/receipts.sql.ts';
import { devolutionIdOf, type Refund, type RefundState, SECOND_LOOK_SECONDS } from '../refunds/refund.ts';
import { REFUND_REQUESTS, type RefundOutcome, type RefundOutcomeRow } from '../refunds/refunds.sql.ts';
import { PIX_REQUESTS } from './unresolved-pix.sql.ts';

export type ResolvePixTools = Pick<ModuleContext, 'database' | 'clock'> & {
  readonly pixBanks: Pick<PixBanks, 'all' | 'of'>;
  readonly pixTimeoutMilliseconds: number;
  readonly writeMove: BatchedWrite<PixMoveRow, PixMoved>;
  readonly writeRefundOutcome: BatchedWrite<RefundOutcomeRow, RefundState>;
  /** Whether each bank answers anything, be it of no use. */
  readonly outage: OutageWatch;
  readonly observe: (outcome: string) => void;
  readonly warn: (
    what: Pick<Pix, 'merchantId' | 'pixId' | 'state' | 'tries'> | Refund,
    reason: PixWarning | string,
  ) => void;
};

/**
 * Asks about unresolved charges until the bank answers clearly. One that the bank does not know is asked for
 * again, under its txid.
 */
export function resolveUnresolvedPix(tools: ResolvePixTools, wakeSignal: WakeSignal): Work {
  return resolveRequests<Pix, PixChanged>(
    {
      ...commonOf(tools),
      name: 'resolveUnresolvedPix',
      queue: PIX_REQUESTS,
      idOf: ({ pixId }) => pixId,
      // Time for two requests: the bank's record, and the issue or removal.
      leaseMilliseconds: 2 * tools.pixTimeoutMilliseconds + REQUEST_LEASE_MARGIN_MILLISECONDS,
      ask: (pix) => (pix.state === 'issuing' ? findOrIssue(tools, pix) : findOrRemove(tools, pix)),
      record: (pix, { change, warning }, deadlineAt) => record(tools, pix, change, warning, deadlineAt),
      warningOf: ({ warning }) => warning,
      outcomeOf: ({ change }) => change.event,
    },
    wakeSignal,
  );
}

type ClearRefund = Extract<PixRefundAnswer, { kind: 'refunded' | 'pending' | 'refused' }>;

/** Asks for refunds that have no answer, and for those that the bank is carrying out. */
export function resolveUnresolvedPixRefunds(tools: ResolvePixTools, wakeSignal: WakeSignal): Work {
  return resolveRequests<Refund, ClearRefund>(
    {
      ...commonOf(tools),
      name: 'resolveUnresolvedPixRefunds',
      queue: REFUND_REQUESTS,
      idOf: ({ refundId }) => refundId,
      leaseMilliseconds: 2 * tools.pixTimeoutMilliseconds + REQUEST_LEASE_MARGIN_MILLISECONDS,
      ask: (refund) => findOrRefund(tools, refund),
      async record(refund, answer, deadlineAt) {
        const { merchantId, refundId, pixId, fence } = refund;
        const outcome = outcomeOfLook(refund, answer);
        const moment = tools.clock.now(merchantId);
        await tools.writeRefundOutcome({ merchantId, refundId, pixId, outcome, moment, fence }, deadlineAt);
      },
      warningOf: (answer) => (answer.kind === 'refused' ? answer.reason : null),
      outcomeOf: ({ kind }) => kind,
    },
    wakeSignal,
  );
}

/**
 * A refund that the bank does not have is sent again. While a refusal is in doubt, the bank is only asked for
 * its record.
 */
async function findOrRefund(
  { pixBanks, pixTimeoutMilliseconds: timeout }: ResolvePixTools,
  { merchantId, refundId, endToEndId, amount, bank: name, doubtedSeconds, refusalReason }: Refund,
): Promise<PixRefundAnswer> {
  const bank = pixBanks.of(name);
  const question = { merchantId, endToEndId, refundId: devolutionIdOf(refundId), amount };
  const found = await bank.findRefund(question, timeout);
  if (found.kind !== 'notFound') return found;
  if (doubtedSeconds === null) return behindAnswer(await bank.refund(question, timeout));
  const reason = refusalReason ?? 'notReturned';
  if (doubtedSeconds >= SECOND_LOOK_SECONDS) return { kind: 'refused', reason, under: 'nothing' };
  return unusable(`the bank refuses it: ${reason}`);
}

/**
 * When a further try is refused, the first one may still be on its way, so the refusal counts only once a
 * second look finds nothing either. What the bank has under the id as not carried out is refused at once.
 */
function outcomeOfLook({ state, tries, doubtedSeconds }: Refund, answer: ClearRefund): RefundOutcome {
  if (answer.kind === 'refused' && answer.under !== 'recorded' && doubtedSeconds === null)
    return { event: 'doubt', reason: answer.reason };
  return outcomeOfAnswer(answer, state === 'pending' ? tries : 0);
}

function commonOf({ database, pixBanks, outage, observe, warn }: ResolvePixTools) {
  return {
    ...{ database, outage, observe, warn },
    limits: DISPATCH.unresolvedPix,
    mayClaim: () => pixBanks.all().length > 0,
    providerOf: ({ bank }: { readonly bank: string }) => bank,
    about: ({ merchantId, pixId }: { readonly merchantId: string; readonly pixId: string }) => ({
      attributes: { 'parcela.merchant.id': merchantId, 'parcela.payment.id': pixId },
      follows: pixId,
    }),
  };
}

async function findOrIssue(
  { database, pixBanks, pixTimeoutMilliseconds: timeout }: ResolvePixTools,
  pix: Pix,
): Promise<PixResult> {
  const bank = pixBanks.of(pix.bank);
  const name = nameOf(pix);
  const record = await keepingReceipts(database, pix, await bank.find(name, timeout));
  const found = resultOfSearch(record);
  if (found === 'over')
    return behindAnswer(resultOfOver(await keepingReceipts(database, pix, await bank.remove(name, timeout))));
  if (found !== null) return found;
  if (!pix.isPayerErased)
    return behindAnswer(resultOfFurtherIssue(pix, await bank.issue(requestOf(pix), timeout)));
  return record.kind === 'notFound' ? resultOfErased(pix) : unusable('its payer was erased');
}

/** A charge whose time is over may have been paid in its last second, so the bank's record is read first. */
async function findOrRemove(
  { database, pixBanks, pixTimeoutMilliseconds: timeout }: ResolvePixTools,
  pix: Pix,
): Promise<PixResult> {
  const bank = pixBanks.of(pix.bank);
  const name = nameOf(pix);
  const find = async () => keepingReceipts(database, pix, await bank.find(name, timeout));
  const remove = async () =>
    resultOfRemove(pix, await keepingReceipts(database, pix, await bank.remove(name, timeout)));
  if (!pix.isExpiring) return remove();
  return resultOfLastSearch(pix, await find()) ?? behindAnswer(await remove());
}

async function record(
  { clock, database, writeMove }: ResolvePixTools,
  { merchantId, pixId, fence, bank }: Pix,
  change: PixChange,
  warning: PixWarning | null,
  deadlineAt: number,
): Promise<void> {
  const moment = clock.now(merchantId);
  const decide = (held: Pix) => (held.fence === fence ? moveOf(held, change, moment) : null);
  await writeMove({ merchantId, pixId, decide, leaseMilliseconds: 0 }, deadlineAt);
  if (warning === 'paidAtBank') await hurryReceipts(database, bank);
}
