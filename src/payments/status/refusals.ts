import type { RefusalShape } from '../../platform/http/refusal.ts';
import { tooManyToOrder } from '../../platform/pages.ts';
import type { PaymentExportRefusal } from '../payment.ts';

export const PAYMENT_SEARCH_REFUSALS = {
  tooManyOfPeriod: tooManyToOrder(
    'São mais de cem mil pagamentos para esta ordem; restrinja o período ou escolha a ordem por transactionDate.',
    'More than a hundred thousand payments for this order; narrow the period or choose the order by transactionDate.',
  ),
  tooManyOfKey: tooManyToOrder(
    'São mais de cem mil pagamentos para esta ordem ou estes filtros; busque uma referenceTransaction na ordem de transactionDate, sem outro filtro, ou por período.',
    'More than a hundred thousand payments for this order or these filters; search by referenceTransaction in the order of transactionDate, without another filter, or by period.',
  ),
  notInThisOrder: {
    status: 400,
    tag: 'format',
    sentence: {
      pt: 'Com format vêm pagamentos de um período ou de uma referenceTransaction, na ordem de transactionDate.',
      en: 'With format come payments of a period or of a referenceTransaction, in the order of transactionDate.',
    },
  },
} as const satisfies Record<PaymentExportRefusal, RefusalShape>;
