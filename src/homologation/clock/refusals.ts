import { GENERAL_TAG } from '../../platform/http/endpoint.ts';
import type { RefusalShape } from '../../platform/http/refusal.ts';
import type { JumpRefusal } from './jump.ts';

const TOO_FAR = {
  pt: 'O relógio de teste vai no máximo 730 dias além da data real.',
  en: 'The test clock goes at most 730 days beyond the real date.',
};

export const CLOCK_REFUSALS = {
  backward: {
    status: 400,
    tag: 'to',
    sentence: {
      pt: 'O relógio de teste só anda para a frente.',
      en: 'The test clock only moves forward.',
    },
  },
  tooManyDays: { status: 400, tag: 'advanceDays', sentence: TOO_FAR },
  tooFar: { status: 400, tag: 'to', sentence: TOO_FAR },
  underWay: {
    status: 409,
    tag: GENERAL_TAG,
    sentence: {
      pt: 'Um avanço do relógio de teste ainda está em andamento; consulte-o.',
      en: 'A jump of the test clock is still under way; read the clock.',
    },
  },
} as const satisfies Record<JumpRefusal, RefusalShape>;
