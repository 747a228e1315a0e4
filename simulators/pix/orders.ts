import type { FieldReader } from '../kit/field-reader.ts';
import { endOf } from './amount-owed.ts';
import { ABOUT, type Answer, malformed, NOT_FOUND, ok, PROBLEM_TYPES, TOO_MANY } from './answers.ts';
import { type Charge, contentOf, givenBack, type Pix } from './books.ts';
import { readDialect } from './dialect.ts';
import { CLIENT_ID } from './entries.ts';
import { readMoment } from './moments.ts';
import type { Order } from './order.ts';
import { endRefund, pay, removeCharge, takeBack } from './payers.ts';
import { decideRec, setPayer } from './recurrence-payers.ts';
import { wholeCobRShape, wholeRecShape } from './recurrence-shapes.ts';
import { FAULTS, REFUND_PLANS, type Step, WEBHOOK_FAULTS } from './script-step.ts';
import { chargeShape, instantOf, pixShape } from './shapes.ts';

const MOST_STEPS = 1_000;
const LONGEST_DELAY_MILLISECONDS = 60_000;
const DIGITS = /^\d{1,15}$/;
const MOST_ITEMS = 10_000;

/** `on`: an operation, as `PUT /cob`; its steps replace those that are left. */
const writeScript: Order = (bank, fields) => {
  const clientId = fields.text('clientId', CLIENT_ID);
  const operation = fields.text('on', /^(webhook|[A-Z]{3,6} \/[a-z/]{2,40})$/);
  const isOfWebhooks = operation === 'webhook';
  const faults = isOfWebhooks
    ? fields.list('steps', MOST_STEPS, (step) => step.word('fault', WEBHOOK_FAULTS))
    : [];
  const steps = isOfWebhooks ? [] : fields.list('steps', MOST_STEPS, readStep);
  if (fields.fault !== null) return malformed(fields.fault);
  const isWritten = isOfWebhooks
    ? bank.scripts.writeWebhooks(clientId, faults)
    : bank.scripts.write(clientId, operation, steps);
  return isWritten ? ok({ clientId, on: operation, steps: faults.length + steps.length }) : TOO_MANY;
};

function readStep(step: FieldReader): Step {
  return {
    fault: step.wordOrNull('fault', FAULTS),
    problem: step.wordOrNull('problem', PROBLEM_TYPES),
    delayMilliseconds: step.integerOrNull('delayMilliseconds', 0, LONGEST_DELAY_MILLISECONDS) ?? 0,
    refund: step.wordOrNull('refund', REFUND_PLANS),
  };
}

const tellTime: Order = (bank, fields) => {
  const clientId = fields.text('clientId', CLIENT_ID);
  const at = readMoment(fields, 'now');
  if (fields.fault !== null) return malformed(fields.fault);
  bank.tellTime(clientId, at);
  const receiver = bank.books.receiver(clientId);
  if (receiver !== undefined) bank.passTime(receiver);
  return ok({ clientId, now: instantOf(at) });
};

const setDialect: Order = (bank, fields) => {
  const clientId = fields.text('clientId', CLIENT_ID);
  const dialect = readDialect(fields);
  if (fields.fault !== null) return malformed(fields.fault);
  const receiver = bank.books.receiver(clientId);
  if (receiver === undefined) return NOT_FOUND;
  bank.book(receiver, { type: 'dialect', dialect });
  return ok({ clientId, ...dialect });
};

const forgetTokens: Order = (bank, fields) => {
  const clientId = fields.text('clientId', CLIENT_ID);
  if (fields.fault !== null) return malformed(fields.fault);
  bank.tokens.forget(clientId);
  return ok({ clientId });
};

export const ORDERS: Readonly<Record<string, Order>> = {
  '/simulator/payments': pay,
  '/simulator/refunds': endRefund,
  '/simulator/taken-back': takeBack,
  '/simulator/removals': removeCharge,
  '/simulator/authorizations': decideRec,
  '/simulator/payers': setPayer,
  '/simulator/script': writeScript,
  '/simulator/clock': tellTime,
  '/simulator/tokens/forgotten': forgetTokens,
  '/simulator/dialect': setDialect,
};

const listTold: Order = (bank, query) => {
  const clientId = query.text('clientId', CLIENT_ID);
  if (query.fault !== null) return malformed(query.fault);
  return ok({
    items: bank.sender
      .toldTo(clientId)
      .map(({ url, body, fault, statuses }) => ({ url, body, fault, statuses })),
  });
};

export const READINGS: Readonly<Record<string, Order>> = {
  '/about': () => ABOUT,
  '/simulator/webhooks': listTold,
  '/simulator/ledger/charges': (bank, query) => {
    const all = bank.books.receivers.flatMap(({ charges }) => [...charges.values()]);
    return ledgerPage(query, all, ledgerCharge);
  },
  '/simulator/ledger/pix': (bank, query) => {
    const all = bank.books.receivers.flatMap(({ pix }) => pix);
    return ledgerPage(query, all, ledgerPix);
  },
  '/simulator/ledger/authorizations': (bank, query) => {
    const all = bank.books.receivers.flatMap((receiver) =>
      [...receiver.recurrences.recs.values()].map((rec) => ({ clientId: receiver.clientId, receiver, rec })),
    );
    return ledgerPage(query, all, ({ clientId, receiver, rec }) => ({
      clientId,
      ...wholeRecShape(receiver, rec),
    }));
  },
  '/simulator/ledger/recurring': (bank, query) => {
    const all = bank.books.receivers.flatMap(({ clientId, recurrences }) =>
      [...recurrences.cobrs.values()].map((cobr) => ({ clientId, cobr })),
    );
    return ledgerPage(query, all, ({ clientId, cobr }) => ({ clientId, ...wholeCobRShape(cobr) }));
  },
};

/** Of one client or of all, each client's in the order of the ledger. */
function ledgerPage<T extends { readonly clientId: string }>(
  query: FieldReader,
  all: readonly T[],
  shape: (item: T) => object,
): Answer {
  const clientId = query.textOrNull('clientId', CLIENT_ID);
  const after = Number(query.textOrNull('after', DIGITS) ?? 0);
  const limit = Number(query.textOrNull('limit', DIGITS) ?? MOST_ITEMS);
  if (query.fault !== null) return malformed(query.fault);
  const found = clientId === null ? all : all.filter((item) => item.clientId === clientId);
  const items = found.slice(after, after + Math.min(limit, MOST_ITEMS)).map(shape);
  return ok({ items, next: after + items.length });
}

function ledgerCharge(charge: Charge): object {
  const { clientId, kind, createdAt, pix } = charge;
  const paid = pix.reduce((sum, { amount }) => sum + amount, 0);
  const endsAt = instantOf(endOf(contentOf(charge), createdAt));
  return {
    clientId,
    kind,
    ...chargeShape(charge),
    endsAt,
    paid,
    endToEndIds: pix.map((one) => one.endToEndId),
  };
}

function ledgerPix(pix: Pix): object {
  return { clientId: pix.clientId, ...pixShape(pix), amount: pix.amount, givenBack: givenBack(pix) };
}
