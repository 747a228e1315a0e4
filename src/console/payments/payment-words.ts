/** As the API shows a movement, and how a page says it. */
export const MOVEMENT_WORDS: Readonly<Record<string, string>> = {
  Autorizacao: 'Installment {number} authorized',
  Pagamento: 'Installment {number} paid',
  Cancelamento: 'Installment {number} canceled',
  Bloqueio: 'Installment {number} blocked',
  Desbloqueio: 'Installment {number} unblocked',
};
