import { type Static, Type } from 'typebox';
import { hasAccount } from '../../merchants/merchants.sql.ts';
import { callerOf, contract, type Endpoint, endpoint } from '../../platform/http/endpoint.ts';
import { FAILURES } from '../../platform/http/failures.ts';
import { named, orNull } from '../../platform/http/named.ts';
import { refusalAnswer } from '../../platform/http/refusal.ts';
import type { ModuleContext } from '../../platform/module.ts';
import { type FeeVersions, pixPortion } from '../../transactions/fees/fee-table.ts';
import {
  type BoletoMovementState,
  type MovementPage,
  type MovementSubject,
  type MovementWithNet,
  netInstallment,
  type PixMovementState,
} from '../../transactions/movements/movement.ts';
import { listAccountMovements } from '../../transactions/movements/movements.sql.ts';
import { amountLessFee } from '../../transactions/split.ts';
import { INSTALLMENT_WORDS } from '../../transactions/transaction.ts';
import { saoPauloOffsetText } from '../../values/instant.ts';

type ListMovementsTools = Pick<ModuleContext, 'lookUp' | 'search'> & {
  readonly fees: FeeVersions;
  /** Below this number no further movement can appear. */
  readonly findWatermark: () => Promise<number>;
};

/** In order: a client that continues after its last movement gets each once. Null: no such account. */
async function listMovements(
  { search, lookUp, fees, findWatermark }: ListMovementsTools,
  merchantId: string,
  wanted: { readonly accountNumber: string; readonly after: number; readonly limit: number },
): Promise<MovementPage | null> {
  const { accountNumber } = wanted;
  const isOwn = await lookUp(merchantId, (database) => hasAccount(database, merchantId, accountNumber));
  if (!isOwn) return null;
  const upTo = await findWatermark();
  const found = await search(merchantId, (database) =>
    listAccountMovements(database, merchantId, { ...wanted, upTo }),
  );
  const items = found.map((movement) => {
    const { subject, installmentNumber, amount } = movement;
    if (subject.kind === 'boleto') return { ...movement, netAmount: amount };
    if (subject.kind === 'pix') {
      const portion = pixPortion(fees.tableAt(merchantId, subject.requestedAt));
      return { ...movement, netAmount: amountLessFee(amount, portion) };
    }
    const { sale } = subject;
    const table = fees.tableAt(merchantId, sale.soldAt);
    return { ...movement, netAmount: netInstallment(sale, installmentNumber, table) };
  });
  return { items, next: items.at(-1)?.movementId ?? wanted.after };
}

const MOVEMENT = named('Movement', {
  movementId: Type.Integer(),
  nsu: Type.String(),
  codAuth: Type.String(),
  installmentNumber: Type.Integer(),
  moment: Type.String(),
  type: Type.String({
    description: 'Autorizacao, Pagamento, Cancelamento, Bloqueio, Desbloqueio, Boleto or Pix.',
  }),
  oldValue: Type.String({ description: 'Empty for the first of an installment, of a boleto or of a Pix.' }),
  newValue: Type.String({
    description:
      'Autorizada, Paga, Cancelada or Bloqueada; the same as oldValue where a chargeback took a part and something is left. ' +
      'Of a boleto Emitido, Vencido, Pago, Cancelado, Expirado; of a Pix Aguardando, Paga, Devolvida, Cancelada, Expirada; ' +
      'of both Pagamento inesperado where money came and it stays what it was; of a boleto Vencimento alterado, Vencimento mantido.',
  }),
  accountNumber: Type.String(),
  paymentId: orNull(Type.String(), 'null: it is of a boleto.'),
  boletoId: Type.Optional(Type.String({ description: 'Of the boleto; absent: it is of a payment.' })),
  referenceTransaction: orNull(Type.String()),
  amount: Type.Integer({
    description: 'Cents of the installment, as it was sold; of a boleto or a Pix its value.',
  }),
  netAmount: Type.Integer({ description: "The same less the operator's fee; boletos have none." }),
  shares: Type.Array(
    named('MovementShare', {
      documentNumberBeneficiary: Type.String(),
      amount: Type.Integer(),
      canceledAmount: Type.Integer({
        description: 'Cents of it that the beneficiary has given back by now.',
      }),
    }),
    {
      description:
        'Of the installment; empty when the payment is not divided, and of a Pix: read its payment.',
    },
  ),
});

/** The most digits of a number; at a million movements a second they last thirty years. */
const LARGEST_NUMBER = 999_999_999_999_999;

const QUERY = Type.Object({
  accountNumber: Type.String({ minLength: 1, maxLength: 20 }),
  after: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: LARGEST_NUMBER,
      description: 'The `next` of the page before; 0, which is the default: from the beginning.',
    }),
  ),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, description: 'Of a page; default 20.' })),
});

const USUAL_LIMIT = 20;

const LIST_MOVEMENTS = contract({
  id: 'listMovements',
  method: 'GET',
  path: '/api/movements',
  api: 'integration',
  scope: 'integration',
  group: 'Webhooks',
  summary: 'Catch up on what happened',
  description:
    'Every movement of an account after a number, in order, each once and none skipped: what was notified and what was ' +
    'not. Ask again with after=next, until items is empty; then again whenever you like. Numbers rise and may have holes; a page of ' +
    'very many shares has fewer items than its limit. A ' +
    'movement may appear here a moment after its notification: nothing is shown while something older is being written.',
  query: QUERY,
  answers: {
    200: {
      description: 'The next of them; next is what to ask after.',
      schema: named('MovementPage', { items: Type.Array(MOVEMENT), next: Type.Integer() }),
      example: {
        items: [
          {
            movementId: 70_041,
            nsu: '1000000042',
            codAuth: 'A1B2C3',
            installmentNumber: 1,
            moment: '2026-11-21T10:00:00.123-03:00',
            type: 'Autorizacao',
            oldValue: '',
            newValue: 'Autorizada',
            accountNumber: '1000001',
            paymentId: '0199c1f2-6a2b-7c11-9a3e-5d1f0c7b2a44',
            referenceTransaction: 'PEDIDO-1001',
            amount: 12_990,
            netAmount: 12_600,
            shares: [{ documentNumberBeneficiary: '11222333000181', amount: 1_299, canceledAmount: 0 }],
          },
        ],
        next: 70_041,
      },
    },
  },
});

function readMovementsQuery({ accountNumber, after = 0, limit = USUAL_LIMIT }: Static<typeof QUERY>) {
  return { accountNumber, after, limit };
}

const BOLETO_WORDS: Record<BoletoMovementState, string> = {
  issued: 'Emitido',
  overdue: 'Vencido',
  paid: 'Pago',
  canceled: 'Cancelado',
  expired: 'Expirado',
  unexpectedPayment: 'Pagamento inesperado',
  dueDayChanged: 'Vencimento alterado',
  dueDayKept: 'Vencimento mantido',
};

const PIX_WORDS: Record<PixMovementState, string> = {
  waiting: 'Aguardando',
  paid: 'Paga',
  returned: 'Devolvida',
  canceled: 'Cancelada',
  expired: 'Expirada',
  unexpectedPayment: 'Pagamento inesperado',
  takenBack: 'Devolvida pelo banco',
};
const WORDS = { boleto: BOLETO_WORDS, pix: PIX_WORDS, payment: INSTALLMENT_WORDS } as const;

function writeMovementPage({ items, next }: MovementPage): object {
  return { items: items.map(writeMovement), next };
}

function writeMovement(movement: MovementWithNet): object {
  return {
    movementId: movement.movementId,
    nsu: movement.nsu,
    codAuth: movement.authorizationCode,
    installmentNumber: movement.installmentNumber,
    moment: saoPauloOffsetText(movement.moment),
    type: movement.type,
    ...writeValues(movement.subject),
    accountNumber: movement.accountNumber,
    ...writeSubjectId(movement.subject),
    referenceTransaction: movement.referenceTransaction,
    amount: movement.amount,
    netAmount: movement.netAmount,
    shares: movement.shares.map(({ beneficiary, amount, canceledAmount }) => ({
      documentNumberBeneficiary: beneficiary,
      amount,
      canceledAmount,
    })),
  };
}

function writeValues(subject: MovementSubject): { readonly oldValue: string; readonly newValue: string } {
  const { oldState, newState } = subject;
  const words: Readonly<Record<string, string>> = WORDS[subject.kind];
  return { oldValue: oldState === null ? '' : (words[oldState] ?? ''), newValue: words[newState] ?? '' };
}

function writeSubjectId(subject: MovementSubject): object {
  if (subject.kind === 'boleto') return { paymentId: null, boletoId: subject.boletoId };
  return { paymentId: subject.kind === 'pix' ? subject.pixId : subject.transactionId };
}

export const MOVEMENT_ENDPOINTS: readonly Endpoint<ListMovementsTools>[] = [
  endpoint(LIST_MOVEMENTS, async (tools: ListMovementsTools, call) => {
    const page = await listMovements(tools, callerOf(call).merchantId, readMovementsQuery(call.query));
    if (page === null) return refusalAnswer(FAILURES.unknownPath, call.language);
    return { status: 200, body: writeMovementPage(page) };
  }),
];
