import { GENERAL_TAG } from '../../platform/http/endpoint.ts';
import type { RefusalShape } from '../../platform/http/refusal.ts';
import { tooManyToOrder } from '../../platform/pages.ts';
import type { CancelRefusal } from './billing-cancel.ts';
import type { SearchRefusal } from './billing-search.ts';

export const BILLING_SEARCH_REFUSALS = {
  rangeBackwards: {
    status: 400,
    tag: 'expirationDateRangeEndDate',
    sentence: {
      pt: 'O fim do período vem antes do começo.',
      en: 'The period ends before its beginning.',
    },
  },
  tooManyToOrder: tooManyToOrder(
    'São mais de um milhão de cobranças para esta ordem; escolha um status, um período ou outra ordem.',
    'More than a million billings for this order; choose a status, a period or another order.',
  ),
} as const satisfies Record<SearchRefusal, RefusalShape>;

export const BILLING_CANCEL_REFUSALS = {
  finalized: {
    status: 409,
    tag: GENERAL_TAG,
    sentence: {
      pt: 'A cobrança já foi finalizada e não pode ser cancelada.',
      en: 'The billing is finalized already and cannot be canceled.',
    },
  },
  charging: {
    status: 409,
    retryAfterSeconds: 5,
    tag: GENERAL_TAG,
    sentence: {
      pt: 'A cobrança está sendo processada; aguarde o resultado.',
      en: 'The billing is being charged; wait for the outcome.',
    },
  },
} as const satisfies Record<CancelRefusal, RefusalShape>;
