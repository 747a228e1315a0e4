import { GENERAL_TAG } from '../../platform/http/endpoint.ts';
import type { RefusalShape } from '../../platform/http/refusal.ts';
import type { BankPaperRefusal } from './bank-paper.ts';

export const BANK_PAPER_REFUSALS = {
  noSimulator: {
    status: 409,
    tag: GENERAL_TAG,
    sentence: {
      pt: 'Não há um banco simulado aqui.',
      en: 'There is no simulated bank here.',
    },
  },
  dayNotOver: {
    status: 409,
    tag: 'day',
    sentence: {
      pt: 'Este dia ainda não terminou no tempo do seu estabelecimento: adiante o relógio de teste.',
      en: "This day is not over in your merchant's time: move the test clock forward.",
    },
  },
  tooLarge: {
    status: 409,
    tag: GENERAL_TAG,
    sentence: {
      pt: 'O arquivo deste dia é grande demais para uma resposta.',
      en: 'The file of this day is too large for one answer.',
    },
  },
} as const satisfies Record<BankPaperRefusal, RefusalShape>;
