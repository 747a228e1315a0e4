import { until } from '../../test/kit/service.ts';
import type { AnsweredPayment } from '../log.ts';
import type { KindResult } from '../results.ts';
import type { Scene } from '../rounds.ts';
import { type Finding, standingCharges } from './finding.ts';
import type { Books } from './ledger-view.ts';
import { doubtfulPayments } from './of-cancels.ts';
import { isLiveWord } from './of-payments.ts';

const ASKED_AT_ONCE = 16;
/** On a quiet machine. */
const ANSWERED_MILLISECONDS = 30_000;
const NAME = 'asking tells the truth';

/**
 * A client that lost the connection, or is not sure of a cancel, asks: our answer must be what the
 * acquirer has.
 */
export async function askForTheLost(scene: Scene, books: Books, result: KindResult): Promise<Finding[]> {
  const findings: Finding[] = [];
  const [gateway] = await scene.fleet.pair();
  const complain = (reference: string, text: string) => findings.push({ invariant: NAME, reference, text });
  const doubtful = doubtfulPayments(books);
  const asked = books.entries.filter(({ status, reference }) => status === null || doubtful.has(reference));
  const askOne = async (entry: (typeof asked)[number]) => {
    const { reference, status, merchantId } = entry;
    const standing = standingCharges(books, reference);
    if (status === null && standing.length > 0) result.lostButCharged += 1;
    const reported = await answered(() => scene.till.askByReference(gateway, entry));
    const live = (reported ?? []).filter(({ statusDescription }) => isLiveWord(statusDescription));
    const rows = books.transactionsOf.get(reference) ?? [];
    const row = rows.find(({ wasNeverSent }) => !wasNeverSent) ?? rows[0];
    const listed = reported?.find(({ paymentId }) => paymentId === row?.transactionId);
    const byId =
      row === undefined ? null : await answered(() => scene.till.ask(gateway, merchantId, row.transactionId));
    const isTrue =
      reported?.length === rows.length &&
      live.length === standing.length &&
      withoutSplit(listed) === withoutSplit(byId) &&
      live.every((payment) => isOfCharge(payment, standing[0]?.amount, standing[0]?.canceledAmount));
    if (!isTrue)
      complain(reference, `asked, we say ${JSON.stringify(reported)}, by its id ${JSON.stringify(byId)}`);
  };
  for (let index = 0; index < asked.length; index += ASKED_AT_ONCE) {
    await Promise.all(asked.slice(index, index + ASKED_AT_ONCE).map(askOne));
  }
  return findings;
}

/** A busy service turns a reader away for a moment, which is no lie; null: it never answered. */
function answered<T>(ask: () => Promise<T | null>): Promise<T | null> {
  return until('it is answered', ask, ANSWERED_MILLISECONDS).catch(() => null);
}

function isOfCharge(reported: AnsweredPayment, amount?: number, canceledAmount?: number): boolean {
  const isWhole = canceledAmount === amount;
  return (
    reported.value === amount &&
    reported.canceledAmount === canceledAmount &&
    reported.cancelingAmount === 0 &&
    (reported.statusDescription === 'Cancelada') === isWhole
  );
}

/**
 * A list shows the shares of the sale, a single payment those of its installments too, its cancels, and which
 * acquirers were asked.
 */
function withoutSplit(reported: AnsweredPayment | null | undefined): string {
  return JSON.stringify({ ...reported, split: undefined, cancels: undefined, attempts: undefined });
}
