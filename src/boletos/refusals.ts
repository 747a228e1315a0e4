import { GENERAL_TAG } from '../platform/http/endpoint.ts';
import type { RefusalShape } from '../platform/http/refusal.ts';
import type { RegistrationRefusal, TermsFault } from './boleto.ts';
import { MOST_DAYS_AHEAD } from './boleto.ts';
import { MOST_IN_ARRAY } from './boleto-search.ts';

/** Why a boleto is not issued before the bank is asked. */
export const TERMS_REFUSALS = {
  dueInThePast: {
    status: 400,
    tag: 'dueDate',
    sentence: { pt: 'O vencimento já passou.', en: 'The due day is past.' },
  },
  dueTooFarAhead: {
    status: 400,
    tag: 'dueDate',
    sentence: {
      pt: `O vencimento está a mais de ${MOST_DAYS_AHEAD} dias.`,
      en: `The due day is more than ${MOST_DAYS_AHEAD} days ahead.`,
    },
  },
  discountTooLarge: {
    status: 400,
    tag: 'discount.value',
    sentence: {
      pt: 'O desconto deve ser menor que o valor.',
      en: 'The discount must be less than the value.',
    },
  },
  discountAfterDueDay: {
    status: 400,
    tag: 'discount.until',
    sentence: {
      pt: 'O desconto não pode ir além do vencimento.',
      en: 'The discount must not last beyond the due day.',
    },
  },
  discountInThePast: {
    status: 400,
    tag: 'discount.until',
    sentence: { pt: 'O último dia do desconto já passou.', en: 'The last day of the discount is past.' },
  },
} as const satisfies Record<TermsFault, RefusalShape>;

/** Why the bank does not register a boleto. */
export const REGISTRATION_SHAPES = {
  payerRefused: {
    status: 402,
    tag: 'payer',
    sentence: {
      pt: 'O banco recusou o pagador: confira nome, documento e endereço.',
      en: 'The bank refused the payer: check name, document and address.',
    },
  },
  termsRefused: {
    status: 402,
    tag: GENERAL_TAG,
    sentence: {
      pt: 'O banco recusou as condições: confira vencimento, multa, juros e desconto.',
      en: 'The bank refused the terms: check due day, fine, interest and discount.',
    },
  },
  amountRefused: {
    status: 402,
    tag: 'value',
    sentence: { pt: 'O banco recusou o valor.', en: 'The bank refused the value.' },
  },
  writtenOff: {
    status: 402,
    tag: GENERAL_TAG,
    sentence: {
      pt: 'O banco deu baixa no boleto antes de confirmar o registro. Emita outro.',
      en: 'The bank wrote the boleto off before it had confirmed it. Issue another one.',
    },
  },
} as const satisfies Record<RegistrationRefusal, RefusalShape>;

export const BOLETO_REFUSALS = {
  noBank: {
    status: 409,
    tag: GENERAL_TAG,
    sentence: {
      pt: 'O operador não configurou um banco (PARCELA_BANK_URL): aqui não há boletos.',
      en: 'The operator has named no bank (PARCELA_BANK_URL): there are no boletos here.',
    },
  },
  ofAnotherBank: {
    status: 409,
    tag: GENERAL_TAG,
    sentence: {
      pt: 'O boleto foi registrado em outro banco, que não está mais configurado: peça a baixa a ele.',
      en: 'The boleto was registered at another bank, which is not named any more: have it end there.',
    },
  },
  bankAway: {
    status: 503,
    tag: GENERAL_TAG,
    sentence: {
      pt: 'Não foi possível conectar ao banco: nada foi pedido a ele. Repita em instantes.',
      en: 'The bank could not be connected to: it was not asked. Repeat the request shortly.',
    },
  },
  beingIssued: {
    status: 409,
    retryAfterSeconds: 5,
    tag: GENERAL_TAG,
    sentence: {
      pt: 'O boleto ainda está em emissão; cancele-o depois que o banco responder.',
      en: 'The boleto is being issued; cancel it once the bank has answered.',
    },
  },
  beingCanceled: {
    status: 409,
    retryAfterSeconds: 5,
    tag: GENERAL_TAG,
    sentence: {
      pt: 'O prazo do boleto acabou e o banco já foi chamado a dar baixa; consulte-o em instantes.',
      en: 'The time of the boleto is over and the bank is asked to end it; read it shortly.',
    },
  },
  paid: {
    status: 409,
    tag: GENERAL_TAG,
    sentence: {
      pt: 'O boleto já foi pago e não pode ser cancelado.',
      en: 'The boleto is paid and cannot be canceled.',
    },
  },
  paidAtBank: {
    status: 409,
    tag: GENERAL_TAG,
    sentence: {
      pt: 'O banco informa que o boleto foi pago: ele não foi cancelado, e o pagamento aparecerá em breve.',
      en: 'The bank says that the boleto is paid: it was not canceled, and the payment will appear shortly.',
    },
  },
  expired: {
    status: 409,
    tag: GENERAL_TAG,
    sentence: {
      pt: 'O boleto expirou e não pode ser cancelado.',
      en: 'The boleto has expired and cannot be canceled.',
    },
  },
  tooMany: {
    status: 400,
    tag: 'page',
    sentence: {
      pt: `São mais de ${MOST_IN_ARRAY} boletos: peça uma página de cada vez, com page.`,
      en: `There are more than ${MOST_IN_ARRAY} boletos: ask for one page at a time, with page.`,
    },
  },
} as const satisfies Record<string, RefusalShape>;
