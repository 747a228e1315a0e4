import { GENERAL_TAG } from '../../platform/http/endpoint.ts';
import type { RefusalShape } from '../../platform/http/refusal.ts';
import type { FileRefusal } from './acquirer-file.ts';

export const FILE_REFUSALS = {
  dayNotOver: {
    status: 409,
    tag: 'day',
    sentence: {
      pt: 'Este dia ainda não terminou no tempo do seu estabelecimento: adiante o relógio de teste.',
      en: "This day is not over in your merchant's time: move the test clock forward.",
    },
  },
  noSuchRow: {
    status: 409,
    tag: 'row',
    sentence: {
      pt: 'O arquivo deste dia não tem uma linha em que essa falha caiba.',
      en: 'The file of this day has no row in which that fault could be.',
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
} as const satisfies Record<FileRefusal, RefusalShape>;
