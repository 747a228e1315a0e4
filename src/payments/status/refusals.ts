import type { RefusalShape } from '../../platform/http/refusal.ts';
import { tooManyToOrder } from '../../platform/pages.ts';
import type { PaymentExportRefusal } from '../payment.ts';

export const PAYMENT_SEARCH_REFUSALS = {
  tooManyOfPeriod: tooManyToOrder(
    'São mais de cem mil pagamentos para esta ordem; restrinja o período ou escolha a ordem por transactionDate.',
    'More than a hundred thousand payments for this order; narrow the period or choose the order by transactionDate.',
  ),
  tooManyOfKey: tooManyToOrder(
    'São mais de cem mil pagamentos para esta ordem ou estes filtros; escolha a ordem por paymentId, sem outro filtro, ou busque por período.',
    'More than a hundred thousand payments for this order or these filters; choose the order by paymentId, without another filter, or search by period.',
  ),
  notInThisOrder: {
    status: 400,
    tag: 'format',
    sentence: {
      pt: 'Com format vêm pagamentos de um período na ordem de transactionDate, ou de uma referenceTransaction na de paymentId.',
      en: 'With format come payments of a period in the order of transactionDate, or of a referenceTransaction in that of paymentId.',
    },
  },
} as const satisfies Record<PaymentExportRefusal, RefusalShape>;
