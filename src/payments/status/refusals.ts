import type { RefusalShape } from '../../platform/http/refusal.ts';
import { type TooManyToOrder, tooManyToOrder } from '../../platform/pages.ts';

export const PAYMENT_SEARCH_REFUSALS = {
  tooManyToOrder: tooManyToOrder(
    'São mais de cem mil pagamentos com esta referência para esta ordem; escolha a ordem por paymentId.',
    'More than a hundred thousand payments under this reference for this order; choose the order by paymentId.',
  ),
} as const satisfies Record<TooManyToOrder, RefusalShape>;
