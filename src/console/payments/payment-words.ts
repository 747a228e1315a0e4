import type { MovementType } from '../../transactions/transaction.ts';

/** As the API shows a movement, and how a page says it. */
export const MOVEMENT_WORDS = {
  Autorizacao: 'Installment {number} authorized',
  Pagamento: 'Installment {number} paid',
  Cancelamento: 'Installment {number} canceled',
  Bloqueio: 'Installment {number} blocked',
  Desbloqueio: 'Installment {number} unblocked',
} as const satisfies Record<MovementType, string>;
