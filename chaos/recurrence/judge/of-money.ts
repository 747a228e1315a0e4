import { stateOfBooked } from '../../judge/finding.ts';
import { isTrialCard } from '../chaos-merchant.ts';
import { liveOf, type ShopInvariant } from './merchant-index.ts';

/** Of one attempt, by an acquirer that is slow and answers. */
const MOST_GIVEN_UP = 3;
/** The judge's own reading of what its trial cards answer. */
const LOST_CARD = '41';
/** What was sent before the no of another charge of the same card had been written down. */
const UNDER_WAY_MILLISECONDS = 5_000;

/** Between the acquirer's ledger and what we believe to have collected. */
export const MONEY_INVARIANTS: readonly ShopInvariant[] = [
  {
    name: 'no installment is charged twice',
    check(index, complain) {
      for (const { billingId } of index.billings) {
        const live = liveOf(index, billingId);
        if (live.length > 1) complain(billingId, `${live.length} live charges at the acquirer`);
      }
    },
  },
  {
    name: 'a live charge is a paid billing of its amount, and a paid billing one live charge',
    check(index, complain) {
      for (const { billingId, state, amount } of index.billings) {
        const live = liveOf(index, billingId);
        if (state === 'paid' && live.length === 0) complain(billingId, 'paid, and no charge is live');
        if (state !== 'paid' && live.length > 0) complain(billingId, `${state}, and a charge is live`);
        for (const charge of live)
          if (charge.amount !== amount) complain(billingId, `owes ${amount}, charged ${charge.amount}`);
      }
      for (const { reference, paymentId } of index.ledger)
        if (!index.billingById.has(reference ?? ''))
          complain(paymentId, `charged for ${reference}, no billing`);
    },
  },
  {
    name: 'the acquirer and we know the same charges',
    check({ ledger, transactions, transactionById }, complain) {
      const booked = new Map(ledger.map((line) => [line.paymentId, line]));
      for (const line of ledger) {
        const row = transactionById.get(line.paymentId);
        const isSame = row?.state === stateOfBooked(line.status);
        if (!isSame) complain(String(line.reference), `${line.status} at the acquirer, ${row?.state} here`);
      }
      for (const row of transactions.filter(({ state }) => state === 'approved' || state === 'declined')) {
        const line = booked.get(row.transactionId);
        if (line === undefined || line.nsu !== row.nsu || line.authorizationCode !== row.authorizationCode)
          complain(row.reference, `${row.state} here, and the charge at the acquirer is missing or another`);
      }
    },
  },
  {
    name: 'every charge is a try of its billing, made by the merchant',
    check({ transactions, tries, transactionById }, complain) {
      const tried = new Map(tries.map((row) => [row.transactionId, row]));
      for (const { transactionId, reference, initiator } of transactions) {
        if (tried.get(transactionId)?.billingId !== reference)
          complain(reference, `${transactionId} is on record as no try of it`);
        if (initiator !== 'merchant') complain(reference, `charged as if by the ${initiator}`);
      }
      for (const { billingId, transactionId, outcome, number } of tries) {
        if (transactionId === null) continue;
        const state = transactionById.get(transactionId)?.state;
        const wanted = outcome === 'approved' || outcome === 'voided' ? outcome : 'declined';
        if (state !== wanted) complain(billingId, `try ${number} came to ${outcome}, its charge to ${state}`);
      }
    },
  },
  {
    name: 'each approved charge has its movement, and no other charge has one',
    check({ transactions }, complain) {
      for (const { reference, state, movements } of transactions) {
        if (movements !== (state === 'approved' ? 1 : 0))
          complain(reference, `${state}, ${movements} movements`);
      }
    },
  },
  {
    name: 'what the acquirer took back is what is on record, and what the merchant hears',
    check({ ledger, transactionById }, complain) {
      for (const { paymentId, canceledAmount, reference } of ledger) {
        const row = transactionById.get(paymentId);
        if (row === undefined || row.state !== 'approved') continue;
        if (row.canceledAmount !== canceledAmount)
          complain(
            String(reference),
            `${canceledAmount} taken back at the acquirer, ${row.canceledAmount} here`,
          );
        if (row.ends !== (canceledAmount === row.amount ? 1 : 0))
          complain(
            String(reference),
            `${canceledAmount} of ${row.amount} taken back, ${row.ends} movements say all`,
          );
      }
    },
  },
  {
    name: 'a card that said never again is not sent again, whatever became of the keys',
    check({ shop, transactions }, complain) {
      const trials = new Set(
        shop.enrolled.filter(({ card }) => isTrialCard(card)).map(({ card }) => card.vaultId),
      );
      for (const [vaultId, charges] of Map.groupBy(transactions, (row) => row.vaultId ?? '')) {
        if (!trials.has(vaultId)) continue;
        const said = charges.find(
          (charge) => charge.state === 'declined' && charge.responseCode === LOST_CARD,
        );
        if (said === undefined) continue;
        const later = charges.filter(
          ({ createdAt, transactionId }) => createdAt > said.createdAt && transactionId > said.transactionId,
        );
        // Another one may have been on its way when it said so.
        for (const { reference, createdAt } of later)
          if (createdAt - said.createdAt > UNDER_WAY_MILLISECONDS)
            complain(reference, `${vaultId} was sent ${createdAt - said.createdAt} ms after its final no`);
      }
    },
  },
  {
    name: 'an attempt is not authorized and given up again and again while the acquirer is well',
    check({ shop, tries }, complain) {
      if (!shop.isAcquirerWell) return;
      const voided = tries.filter(({ outcome }) => outcome === 'voided');
      for (const [, same] of Map.groupBy(voided, (row) => `${row.billingId} ${row.attemptNumber}`)) {
        const [first] = same;
        if (first !== undefined && same.length > MOST_GIVEN_UP)
          complain(first.billingId, `attempt ${first.attemptNumber} was given up ${same.length} times`);
      }
    },
  },
  {
    name: 'nothing stays unknown',
    check({ transactions, tries, billings }, complain) {
      for (const { reference, state } of transactions)
        if (state === 'charging' || state === 'unresolved') complain(reference, `its charge is ${state}`);
      for (const { billingId, number, outcome, isWatched } of tries)
        if (outcome === null || isWatched) complain(billingId, `try ${number} has no end: ${outcome}`);
      for (const { billingId, isCharging } of billings)
        if (isCharging) complain(billingId, 'a charge of it is under way');
    },
  },
];
