import { type Static, Type } from 'typebox';
import { has, hasValue, when, withField } from '../../src/platform/http/checked.ts';
import {
  type Answer,
  callerOf,
  contract,
  type Endpoint,
  endpoint,
  type Fault,
  GENERAL_TAG,
} from '../../src/platform/http/endpoint.ts';
import { named } from '../../src/platform/http/named.ts';
import {
  conflict,
  type RefusalShape,
  refusal,
  refusalAnswer,
  refusedAnswer,
} from '../../src/platform/http/refusal.ts';
import type { Language } from '../../src/platform/http/sentence.ts';
import { type Instant, parseSaoPauloText, saoPauloText } from '../../src/values/instant.ts';
import { type AdvanceResult, type AdvanceTools, advanceClock } from './advance-clock.ts';
import { type ClockReading, type JumpRefusal, type JumpRequest, MOST_DAYS_AHEAD } from './jump.ts';
import { readClock } from './read-clock.ts';

const TOO_FAR = {
  pt: 'O relógio de teste vai no máximo 730 dias além da data real.',
  en: 'The test clock goes at most 730 days beyond the real date.',
};

export const CLOCK_REFUSALS = {
  backward: refusal(400, 'to', {
    pt: 'O relógio de teste só anda para a frente.',
    en: 'The test clock only moves forward.',
  }),
  tooManyDays: refusal(400, 'advanceDays', TOO_FAR),
  tooFar: refusal(400, 'to', TOO_FAR),
  underWay: conflict({
    pt: 'Um avanço do relógio de teste ainda está em andamento; consulte-o.',
    en: 'A jump of the test clock is still under way; read the clock.',
  }),
} as const satisfies Record<JumpRefusal, RefusalShape>;

const JUMP_REQUEST = named(
  'ClockJumpRequest',
  {
    advanceDays: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: MOST_DAYS_AHEAD,
        description: 'Days of 24 hours from where the clock stands; this or `to`, exactly one.',
      }),
    ),
    to: Type.Optional(
      Type.String({
        maxLength: 29,
        format: 'saoPauloTime',
        description: 'Where the clock shall go; at most 730 days beyond the real date.',
      }),
    ),
  },
  { checked: when(has('to'), withField('advanceDays', { type: 'null' }), hasValue('advanceDays')) },
);

export const CLOCK_FAULTS = {
  oneGoal: refusal(400, GENERAL_TAG, {
    pt: 'Informe exatamente um entre advanceDays e to.',
    en: 'Give exactly one of advanceDays and to.',
  }),
} as const satisfies Record<string, RefusalShape>;

/** The body may be malformed in any way: the schema reports wrong types. */
function checkJump(body: unknown): Fault[] {
  if (typeof body !== 'object' || body === null) return [];
  const { advanceDays, to } = body as Record<string, unknown>;
  return (advanceDays === undefined) === (to === undefined) ? [CLOCK_FAULTS.oneGoal] : [];
}

const NOW = Type.String({ description: 'Business time of the merchant, in São Paulo, without zone.' });
const RAN = named(
  'ClockWork',
  {
    changes: Type.Integer({
      description:
        'Settlements, blocks and chargebacks that the acquirer brought, and payments that the bank brought.',
    }),
    preauthorizations: Type.Integer({ description: 'Pre-authorizations that were let go uncaptured.' }),
    boletos: Type.Integer({ description: 'Boletos that became overdue, or whose time was over.' }),
    pix: Type.Integer({ description: 'Pix whose time was over.' }),
    billings: Type.Integer({ description: 'Charges of billings that were begun.' }),
    notices: Type.Integer({ description: 'Notices of cards that expire and of due days that come.' }),
    deliveries: Type.Integer({ description: 'Tries to deliver a notification, successful or not.' }),
  },
  { description: 'What was run at the instants in between.' },
);
const ABOUT = {
  api: 'either',
  scope: 'any',
  group: 'Homologation',
  path: '/homologation/clock',
  homologationOnly: true,
} as const;

const RAN_EXAMPLE = {
  changes: 2,
  preauthorizations: 0,
  boletos: 0,
  pix: 0,
  billings: 2,
  notices: 0,
  deliveries: 3,
};
const ON_THE_WAY = {
  now: '2026-12-14T18:22:07.000',
  target: '2027-03-01T09:00:00.000',
  ran: RAN_EXAMPLE,
};

const ADVANCE_CLOCK = contract({
  ...ABOUT,
  id: 'advanceTestClock',
  method: 'POST',
  summary: 'Move the test clock forward',
  description:
    "Moves your merchant's business time, and runs everything that falls due in between, in its order: settlements, " +
    'notifications and their next tries, expiry of cards. Tokens, lockouts, card tokens, anti-fraud codes and ' +
    'Idempotency-Keys go by real time. The jump goes on whatever happens to this call or to the service: after a ' +
    'minute the answer is 202, and GET shows how far it is. One jump at a time.',
  body: JUMP_REQUEST,
  bodyExample: { to: '2027-03-01T09:00:00' },
  check: checkJump,
  answers: {
    200: {
      description: 'The clock has arrived, and nothing that fell due in between is left.',
      schema: named('ClockJump', { now: NOW, ran: RAN }),
      example: { now: '2027-03-01T09:00:00.004', ran: RAN_EXAMPLE },
    },
    202: {
      description: 'The clock is still on its way.',
      schema: named('ClockJumpUnderWay', { now: NOW, target: Type.String(), ran: RAN }),
      example: ON_THE_WAY,
    },
    409: refusedAnswer('An earlier jump is still under way.', CLOCK_REFUSALS.underWay),
  },
});

const READ_CLOCK = contract({
  ...ABOUT,
  id: 'readTestClock',
  method: 'GET',
  summary: 'Read the test clock',
  description: 'The business time of your merchant, and how far a jump is.',
  answers: {
    200: {
      description:
        '`target` is null when no jump is under way; `ran` is of the jump under way or of the last one.',
      schema: named('TestClock', { now: NOW, target: Type.Union([Type.String(), Type.Null()]), ran: RAN }),
      example: ON_THE_WAY,
    },
  },
});

function readJumpRequest({ advanceDays, to }: Static<typeof JUMP_REQUEST>): JumpRequest {
  if (advanceDays !== undefined) return { advanceDays };
  // The schema has checked the format.
  return { to: parseSaoPauloText(to ?? '') as Instant };
}

function writeArrival({ now, ran }: ClockReading): object {
  return { now: saoPauloText(now), ran };
}

function writeReading({ now, target, ran }: ClockReading): object {
  return { now: saoPauloText(now), target: target === null ? null : saoPauloText(target), ran };
}

const ANSWER_MARGIN_MILLISECONDS = 10_000;

export const CLOCK_ENDPOINTS: readonly Endpoint<AdvanceTools>[] = [
  endpoint(
    ADVANCE_CLOCK,
    async (tools: AdvanceTools, call) => {
      const result = await advanceClock(tools, callerOf(call).merchantId, readJumpRequest(call.body));
      return writeResult(result, call.language);
    },
    { deadlineMilliseconds: ({ answerMilliseconds }) => answerMilliseconds + ANSWER_MARGIN_MILLISECONDS },
  ),
  endpoint(READ_CLOCK, async (tools: AdvanceTools, call) => ({
    status: 200,
    body: writeReading(await readClock(tools, callerOf(call).merchantId)),
  })),
];

function writeResult(result: AdvanceResult, language: Language): Answer {
  switch (result.kind) {
    case 'arrived':
      return { status: 200, body: writeArrival(result.reading) };
    case 'underWay':
      return { status: 202, body: writeReading(result.reading) };
    case 'refused':
      return refusalAnswer(CLOCK_REFUSALS[result.refusal], language);
  }
}
