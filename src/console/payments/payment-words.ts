import type { Tone } from '../parts/page-parts.ts';

/** As the API shows a payment and its installments, and how a page says it. */
export const PAYMENT_STATES: Readonly<Record<string, { readonly tone: Tone; readonly text: string }>> = {
  Processando: { tone: 'wait', text: 'Processing' },
  'Pré-autorizada': { tone: 'wait', text: 'Preauthorized' },
  Autorizada: { tone: 'good', text: 'Authorized' },
  Negada: { tone: 'bad', text: 'Declined' },
  Desfeita: { tone: 'plain', text: 'Voided' },
  Cancelada: { tone: 'plain', text: 'Canceled' },
  Bloqueada: { tone: 'bad', text: 'Blocked' },
  Paga: { tone: 'good', text: 'Paid' },
};

export const CANCEL_STATES: Readonly<Record<string, { readonly tone: Tone; readonly text: string }>> = {
  Processando: { tone: 'wait', text: 'Processing' },
  Pendente: { tone: 'wait', text: 'Accepted, decided later' },
  Cancelado: { tone: 'good', text: 'Given back' },
  Recusado: { tone: 'bad', text: 'Refused' },
};

export const MOVEMENT_WORDS: Readonly<Record<string, string>> = {
  Autorizacao: 'Installment {number} authorized',
  Pagamento: 'Installment {number} paid',
  Cancelamento: 'Installment {number} canceled',
  Bloqueio: 'Installment {number} blocked',
  Desbloqueio: 'Installment {number} unblocked',
};

export const MESSAGE_STATES: Readonly<Record<string, { readonly tone: Tone; readonly text: string }>> = {
  waiting: { tone: 'wait', text: 'Waiting' },
  delivered: { tone: 'good', text: 'Delivered' },
  givenUp: { tone: 'bad', text: 'Given up' },
};
