import type { RefusalShape } from '../../platform/http/refusal.ts';
import { tooManyToOrder } from '../../platform/pages.ts';
import type { PaymentSearchRefusal } from '../payment.ts';

export const PAYMENT_SEARCH_REFUSALS = {
  tooManyOfPeriod: tooManyToOrder(
    'São mais de cem mil pagamentos para esta ordem; restrinja o período ou escolha a ordem por transactionDate.',
    'More than a hundred thousand payments for this order; narrow the period or choose the order by transactionDate.',
  ),
  tooManyOfKey: tooManyToOrder(
    'São mais de cem mil pagamentos para esta ordem ou estes filtros; escolha a ordem por paymentId, sem outro filtro, ou busque por período.',
    'More than a hundred thousand payments for this order or these filters; choose the order by paymentId, without another filter, or search by period.',
  ),
} as const satisfies Record<PaymentSearchRefusal, RefusalShape>;
