import { type Static, type TSchema, Type } from 'typebox';
import { isWord, lacks, when } from '../../src/platform/http/checked.ts';
import { callerOf, contract, type Endpoint, endpoint, type Fault } from '../../src/platform/http/endpoint.ts';
import { named } from '../../src/platform/http/named.ts';
import {
  conflict,
  type RefusalShape,
  refusal,
  refusalAnswer,
  refusedAnswer,
} from '../../src/platform/http/refusal.ts';
import { type AcquirerScript, ANSWER_FAULTS, MOST_SCRIPTED, type ScriptRefusal } from './acquirer-script.ts';
import { changeAcquirerScript, readAcquirerScript, type ScriptTools } from './change-acquirer-script.ts';

export const SCRIPT_REFUSALS = {
  noSimulator: conflict({
    pt: 'A adquirente daqui não é o simulador: ela não segue roteiros.',
    en: 'The acquirer here is not the simulator: it follows no script.',
  }),
  tooMany: conflict({
    pt: 'O simulador guarda roteiros demais de outros estabelecimentos: nada mudou.',
    en: 'The simulator keeps too many scripts of other merchants: nothing changed.',
  }),
} as const satisfies Record<ScriptRefusal, RefusalShape>;

const LONGEST_DELAY_MILLISECONDS = 60_000;
const MOST_TIMES = 1_000;
const MOST_DAYS = 30;
/** In hundredths of a percent. */
const WHOLE_PORTION = 10_000;
const OUTCOMES = ['approved', 'declined'] as const;

export const SCRIPT_FAULTS = {
  codeOfDecline: refusal(400, 'steps', {
    pt: 'Só um passo com outcome declined pode ter responseCode e adviceCode.',
    en: 'Only a step whose outcome is declined can have responseCode and adviceCode.',
  }),
  codeMalformed: refusal(400, 'steps', {
    pt: 'responseCode e adviceCode têm letras e dígitos, até quatro.',
    en: 'responseCode and adviceCode have letters and digits, up to four.',
  }),
} as const satisfies Record<string, RefusalShape>;

const CODE = /^[0-9A-Za-z]{1,4}$/;

/** The body may be malformed in any way: the schema reports wrong types. */
function checkScript(body: unknown): Fault[] {
  if (typeof body !== 'object' || body === null) return [];
  const { steps } = body as { readonly steps?: unknown };
  if (!Array.isArray(steps)) return [];
  const codesOf = (step: unknown) => {
    if (typeof step !== 'object' || step === null) return [];
    const { responseCode, adviceCode } = step as Record<string, unknown>;
    return [responseCode, adviceCode].filter((one) => one !== undefined);
  };
  const isDeclined = (step: unknown) => (step as { readonly outcome?: unknown })?.outcome === 'declined';
  const isMalformed = (code: unknown) => typeof code === 'string' && !CODE.test(code);
  if (steps.some((step) => codesOf(step).length > 0 && !isDeclined(step)))
    return [SCRIPT_FAULTS.codeOfDecline];
  return steps.flatMap(codesOf).some(isMalformed) ? [SCRIPT_FAULTS.codeMalformed] : [];
}

const MEANT = {
  outcome: 'absent: amount and card decide, unless there is a fault.',
  responseCode: "Of a decline, as the card's brand writes it; absent: its generic one.",
  adviceCode: "Of a decline: Mastercard's advice on another try.",
  fault: 'How the answer is spoiled; all but `silent` book the charge first.',
  delayMilliseconds: 'How long the charge is worked on before it is booked.',
  undoRefusals: 'How many voids of the charge are refused before one is taken.',
  notFoundTimes: 'How many questions about the charge are answered as if it were not known.',
  feePortion:
    'What the acquirer keeps of each installment when it pays it, in hundredths of a percent (250: 2.5%); absent: nothing.',
  steps: 'One for each of the next charges.',
  cancels: 'One for each of the next cancels.',
  afterDays:
    'Days by your clock until it is decided; absent: one. 0: at once, as without a script, unless it fails.',
  fails: 'It fails then, and nothing is given back; absent: it is done.',
} as const;

const code = (description: string) =>
  Type.Optional(Type.String({ minLength: 1, maxLength: 4, description, checked: { pattern: CODE.source } }));
const whole = (maximum: number, description: string) =>
  Type.Optional(Type.Integer({ minimum: 0, maximum, description }));

const STEP = named(
  'ScriptStepRequest',
  {
    outcome: Type.Optional(Type.Enum([...OUTCOMES], { description: MEANT.outcome })),
    responseCode: code(MEANT.responseCode),
    adviceCode: code(MEANT.adviceCode),
    fault: Type.Optional(Type.Enum([...ANSWER_FAULTS], { description: MEANT.fault })),
    delayMilliseconds: whole(LONGEST_DELAY_MILLISECONDS, MEANT.delayMilliseconds),
    undoRefusals: whole(MOST_TIMES, MEANT.undoRefusals),
    notFoundTimes: whole(MOST_TIMES, MEANT.notFoundTimes),
    feePortion: whole(WHOLE_PORTION, MEANT.feePortion),
  },
  { checked: when(isWord('outcome', 'declined'), {}, lacks('responseCode', 'adviceCode')) },
);

const CANCEL = named('ScriptCancelRequest', {
  afterDays: whole(MOST_DAYS, MEANT.afterDays),
  fails: Type.Optional(Type.Boolean({ description: MEANT.fails })),
});

const SCRIPT_REQUEST = named('AcquirerScriptRequest', {
  steps: Type.Array(STEP, { maxItems: MOST_SCRIPTED, description: MEANT.steps }),
  cancels: Type.Optional(Type.Array(CANCEL, { maxItems: MOST_SCRIPTED, description: MEANT.cancels })),
});

const orNull = <Schema extends TSchema>(schema: Schema, description: string) =>
  Type.Union([schema, Type.Null()], { description });

const SCRIPT_ANSWER = named('AcquirerScript', {
  steps: Type.Array(
    named('ScriptStep', {
      outcome: orNull(Type.Enum([...OUTCOMES]), MEANT.outcome),
      responseCode: orNull(Type.String(), MEANT.responseCode),
      adviceCode: orNull(Type.String(), MEANT.adviceCode),
      fault: orNull(Type.Enum([...ANSWER_FAULTS]), MEANT.fault),
      delayMilliseconds: Type.Integer({ description: MEANT.delayMilliseconds }),
      undoRefusals: Type.Integer({ description: MEANT.undoRefusals }),
      notFoundTimes: Type.Integer({ description: MEANT.notFoundTimes }),
      feePortion: Type.Integer({ description: MEANT.feePortion }),
    }),
    { description: MEANT.steps },
  ),
  cancels: Type.Array(
    named('ScriptCancel', {
      afterDays: Type.Integer({ description: MEANT.afterDays }),
      fails: Type.Boolean({ description: MEANT.fails }),
    }),
    { description: MEANT.cancels },
  ),
});

const EXAMPLE = {
  steps: [
    {
      outcome: 'declined',
      responseCode: '51',
      adviceCode: null,
      fault: null,
      delayMilliseconds: 0,
      undoRefusals: 0,
      notFoundTimes: 0,
      feePortion: 0,
    },
  ],
  cancels: [],
};

const ABOUT = {
  api: 'either',
  scope: 'any',
  group: 'Homologation',
  path: '/homologation/acquirer/script',
  homologationOnly: true,
} as const;

const NO_SCRIPT = refusedAnswer(
  'The acquirer is not the simulator, or it keeps too many scripts; nothing changed.',
  SCRIPT_REFUSALS.noSimulator,
);

const CHANGE_SCRIPT = contract({
  ...ABOUT,
  id: 'changeAcquirerScript',
  method: 'PUT',
  summary: 'Say what the acquirer answers next',
  description:
    "What the simulated acquirer does with your merchant's next charges and cancels, one step for each, in order; a repeated charge has its step again. " +
    'It speaks before amount and card. It takes the place of what is left of the one before; an empty list ends it. A restart of the simulator forgets it.',
  body: SCRIPT_REQUEST,
  isExact: true,
  bodyExample: { steps: [{ outcome: 'declined', responseCode: '51' }, { fault: 'booksButSilent' }] },
  check: checkScript,
  answers: {
    200: {
      description: 'What waits now, in order.',
      schema: SCRIPT_ANSWER,
      example: EXAMPLE,
    },
    409: NO_SCRIPT,
  },
});

const READ_SCRIPT = contract({
  ...ABOUT,
  id: 'readAcquirerScript',
  method: 'GET',
  summary: "Read what is left of the acquirer's script",
  description: 'What waits for the next charges and cancels; empty lists: amount and card decide.',
  answers: {
    200: { description: 'What waits now, in order.', schema: SCRIPT_ANSWER, example: EXAMPLE },
    409: NO_SCRIPT,
  },
});

function readScriptRequest({ steps, cancels = [] }: Static<typeof SCRIPT_REQUEST>): AcquirerScript {
  return {
    steps: steps.map((step) => ({
      outcome: step.outcome ?? null,
      responseCode: step.responseCode ?? null,
      adviceCode: step.adviceCode ?? null,
      fault: step.fault ?? null,
      delayMilliseconds: step.delayMilliseconds ?? 0,
      undoRefusals: step.undoRefusals ?? 0,
      notFoundTimes: step.notFoundTimes ?? 0,
      feePortion: step.feePortion ?? 0,
    })),
    cancels: cancels.map(({ afterDays = 1, fails = false }) => ({ afterDays, fails })),
  };
}

function writeScript({ steps, cancels }: AcquirerScript): object {
  return {
    steps: steps.map((step) => ({
      outcome: step.outcome,
      responseCode: step.responseCode,
      adviceCode: step.adviceCode,
      fault: step.fault,
      delayMilliseconds: step.delayMilliseconds,
      undoRefusals: step.undoRefusals,
      notFoundTimes: step.notFoundTimes,
      feePortion: step.feePortion,
    })),
    cancels,
  };
}

export const SCRIPT_ENDPOINTS: readonly Endpoint<ScriptTools>[] = [
  endpoint(CHANGE_SCRIPT, async (tools: ScriptTools, call) => {
    const script = readScriptRequest(call.body);
    const refused = await changeAcquirerScript(tools, callerOf(call).merchantId, script);
    if (refused !== null) return refusalAnswer(SCRIPT_REFUSALS[refused.refusal], call.language);
    return { status: 200, body: writeScript(script) };
  }),
  endpoint(READ_SCRIPT, async (tools: ScriptTools, call) => {
    const left = await readAcquirerScript(tools, callerOf(call).merchantId);
    if ('refusal' in left) return refusalAnswer(SCRIPT_REFUSALS[left.refusal], call.language);
    return { status: 200, body: writeScript(left) };
  }),
];
