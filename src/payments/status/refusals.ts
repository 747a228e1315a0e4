import type { RefusalShape } from '../../platform/http/refusal.ts';
import type { PaymentSearchRefusal } from '../payment.ts';

export const PAYMENT_SEARCH_REFUSALS = {
  tooManyToOrder: {
    status: 400,
    tag: 'orderBy',
    sentence: {
      pt: 'São mais de cem mil pagamentos com esta referência para esta ordem; escolha a ordem por paymentId.',
      en: 'More than a hundred thousand payments under this reference for this order; choose the order by paymentId.',
    },
  },
} as const satisfies Record<PaymentSearchRefusal, RefusalShape>;
