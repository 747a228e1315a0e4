import type { TestTools } from '../../src/console/parts/homologation-pages.ts';
import { type Html, html, type Shown } from '../../src/console/parts/html.ts';
import {
  emptyState,
  errorsOf,
  type Field,
  FORMAT_NAMES,
  field,
  section,
  table,
} from '../../src/console/parts/page-parts.ts';
import { pathOf, TEST_ACQUIRER } from '../../src/console/parts/paths.ts';
import {
  type Action,
  type Asked,
  type Form,
  mayUse,
  OF_MERCHANT,
  operationRefused,
  type Screen,
  screen,
  shownRequests,
  type Visit,
} from '../../src/console/parts/screen.ts';
import { addDays, instant, saoPauloDay } from '../../src/values/instant.ts';

import {
  ANSWERS,
  answerField,
  type Cancel,
  plain,
  SCRIPT_PATH,
  type Script,
  stepText,
} from './acquirer-answer.ts';
import { askHomologation, MAY_TRY, toolLinks, tryForm } from './test-tools.ts';

const CHANGE_SCRIPT = 'changeAcquirerScript';
const MOST_STEPS = 20;

async function readScript(visit: Visit, tools: Pick<TestTools, 'contractOf'>): Promise<Asked<Script>> {
  const asked = await askHomologation(visit, tools, 'readAcquirerScript', {});
  return asked.ok ? { ...asked, body: asked.body as Script } : asked;
}

export async function extendScript(
  visit: Visit,
  tools: Pick<TestTools, 'contractOf'>,
  more: Partial<Script>,
): Promise<Asked<unknown>> {
  const left = await readScript(visit, tools);
  if (!left.ok) return left;
  const steps = [...left.body.steps, ...(more.steps ?? [])].map(plain);
  const cancels = [...left.body.cancels, ...(more.cancels ?? [])];
  return askHomologation(visit, tools, CHANGE_SCRIPT, { body: { steps, cancels } });
}

export const SCRIPT_SCREENS: readonly Screen<TestTools>[] = [
  screen<TestTools, Asked<Script>>({
    path: TEST_ACQUIRER,
    ...OF_MERCHANT,
    title: 'Answers of the acquirer',
    refreshSeconds: 10,
    read: readScript,
    view: (read, visit) => html`${toolLinks(visit)}
<p>${visit.wording.say('What the simulated acquirer does with the next charges and cancels of this merchant. Behind it amount and card decide again.')}</p>
${read.ok ? waiting(read.body, visit) : errorsOf(read.errors)}
${mayUse(MAY_TRY, visit.user) && section(visit.wording.say('Say what comes next'), forms(visit))}
${section(visit.wording.say('Files to reconcile with'), files(visit))}`,
  }),
];

function waiting({ steps, cancels }: Script, visit: Visit): Html {
  const { say } = visit.wording;
  if (steps.length + cancels.length === 0)
    return emptyState(say('Nothing is said.'), say('Amount and card decide about the next charge.'));
  const rows = [
    ...steps.map((step, index) => ({ next: index + 1, kind: say('Charge'), text: stepText(step, visit) })),
    ...cancels.map((one, index) => ({ next: index + 1, kind: say('Cancel'), text: cancelText(one, visit) })),
  ];
  return html`${table(say('What waits for the next ones'), rows, [
    { title: say('The next'), cell: ({ next }) => next },
    { title: say('Kind'), cell: ({ kind }) => kind },
    { title: say('What the acquirer does'), cell: ({ text }) => text },
  ])}${tryForm(visit, {
    action: `${pathOf(TEST_ACQUIRER, { merchantId: visit.merchantId })}/end`,
    title: say('End the script'),
    number: 9,
  })}`;
}

const SECONDS_OF_A_DAY = 86_400;

function cancelText({ afterDays, fails }: Cancel, { wording: { say, duration } }: Visit): string {
  const values = { time: duration(afterDays * SECONDS_OF_A_DAY) };
  return fails
    ? say('Accepts, and refuses it after {time}', values)
    : say('Accepts, and gives back after {time}', values);
}

function forms(visit: Visit): Html {
  const { say } = visit.wording;
  const action = pathOf(TEST_ACQUIRER, { merchantId: visit.merchantId });
  const times: Field = { name: 'times', label: say('How many times'), type: 'number', value: '1' };
  const charges = tryForm(visit, {
    action: `${action}/charges`,
    title: say('Of the next charges'),
    fields: [answerField(visit), times],
    isMain: true,
  });
  const cancels = tryForm(visit, {
    action: `${action}/cancels`,
    title: say('Of the next cancel'),
    fields: [
      {
        name: 'fails',
        label: say('It ends'),
        choices: [
          ['no', say('Given back')],
          ['yes', say('Refused')],
        ],
      },
      { name: 'afterDays', label: say('After days'), type: 'number', value: '1' },
    ],
    number: 1,
  });
  return html`<div class="tries">${charges}${cancels}</div>
${shownRequests([
  {
    contract: { method: 'PUT', path: SCRIPT_PATH },
    body: {
      steps: [ANSWERS.funds?.step, ANSWERS.booksButSilent?.step],
      cancels: [{ afterDays: 1, fails: true }],
    },
  },
  { contract: { method: 'GET', path: SCRIPT_PATH } },
])}`;
}

const FAULTS: Readonly<Record<string, { readonly text: string }>> = {
  rowMissing: { text: 'A payout is left out' },
  rowTwice: { text: 'A payout is there twice' },
  anotherAmount: { text: 'A payout of another amount' },
  anotherFee: { text: 'A payout with another fee' },
  lateDay: { text: 'A payout a day later' },
  foreignRow: { text: 'A sale that nobody asked for' },
  brokenTrailer: { text: 'A trailer that counts wrongly' },
};

/** For yesterday by the merchant's clock: the day must be over. */
function files(visit: Visit): Shown {
  const { say } = visit.wording;
  const day = addDays(saoPauloDay(instant(visit.now)), -1);
  const dayField: Field = { name: 'day', label: say('Day'), type: 'date', value: day, isRequired: true };
  const faults = Object.entries(FAULTS).map(([name, { text }]) => [name, say(text)] as const);
  const file = (path: string, title: string, fields: readonly Field[]) => {
    const action = pathOf(path, { merchantId: visit.merchantId });
    return html`<form class="try" method="get" action="${action}">${fields.map((one) =>
      field(one, `${path.split('/').at(-1) ?? ''}-${one.name}`),
    )}<button type="submit">${title}</button></form>`;
  };
  return html`<p>${say('As acquirer and bank would send them, from the books of the simulators, of a day that is over.')}</p>
<div class="tries">${file(ACQUIRER_FILE, say('File of the acquirer'), [
    dayField,
    { name: 'format', label: say('Format'), choices: Object.entries(FORMAT_NAMES) },
    { name: 'fault', label: say('What is wrong in it'), choices: [['', say('Nothing')], ...faults] },
  ])}${file(RETURN_FILE, say('Return file of the bank'), [dayField])}</div>
${shownRequests([
  { contract: { method: 'GET', path: `/homologation/acquirer/files?format=adiq&day=${day}` } },
  { contract: { method: 'GET', path: `/homologation/bank/return-file?day=${day}` } },
])}`;
}

const ACQUIRER_FILE = `${TEST_ACQUIRER}/file`;
const RETURN_FILE = `${TEST_ACQUIRER}/return-file`;

function fileScreen(
  path: string,
  title: string,
  id: string,
  nameOf: (query: Form) => string,
): Screen<TestTools> {
  return {
    path,
    ...OF_MERCHANT,
    title,
    isFile: true,
    async show(visit, tools) {
      const { day, format, fault } = visit.query;
      const query = id === READ_FILE ? { day, format, fault } : { day };
      const asked = await askHomologation(visit, tools, id, { query });
      if (!asked.ok) return errorsOf(asked.errors);
      return {
        name: nameOf(visit.query),
        type: 'text/plain; charset=us-ascii',
        content: asked.body as string,
      };
    },
  };
}

const READ_FILE = 'readAcquirerFile';
/** Digits only, because they become part of a file name. */
const digits = (text: string | undefined) => (text ?? '').replaceAll(/\D/g, '');

export const PAPER_SCREENS: readonly Screen<TestTools>[] = [
  fileScreen(ACQUIRER_FILE, 'File of the acquirer', READ_FILE, ({ day }) => `acquirer-${digits(day)}.txt`),
  fileScreen(RETURN_FILE, 'Return file of the bank', 'readReturnFile', ({ day }) => `CB${digits(day)}.RET`),
];

const next: Action['next'] = ({ merchantId }) => pathOf(TEST_ACQUIRER, { merchantId });
const OF_SCRIPT = { ...MAY_TRY, operation: CHANGE_SCRIPT, next } as const;

export const SCRIPT_ACTIONS: readonly Action<TestTools>[] = [
  {
    ...OF_SCRIPT,
    path: `${TEST_ACQUIRER}/charges`,
    title: 'Of the next charges',
    async perform(visit, { answer = '', times = '1' }, tools) {
      const step = Object.hasOwn(ANSWERS, answer) ? ANSWERS[answer]?.step : undefined;
      const count = /^\d{1,2}$/.test(times) ? Number(times) : 0;
      if (step === undefined || count < 1 || count > MOST_STEPS)
        return operationRefused(
          400,
          visit.wording.say('Choose what the acquirer does, one to twenty times.'),
        );
      return extendScript(visit, tools, { steps: Array.from({ length: count }, () => step) });
    },
    done: 'It waits for the next charge.',
  },
  {
    ...OF_SCRIPT,
    path: `${TEST_ACQUIRER}/cancels`,
    title: 'Of the next cancel',
    async perform(visit, { fails, afterDays = '' }, tools) {
      const cancel = { fails: fails === 'yes', afterDays: Number(afterDays) };
      return extendScript(visit, tools, { cancels: [cancel] });
    },
    done: 'It waits for the next cancel.',
  },
  {
    ...OF_SCRIPT,
    path: `${TEST_ACQUIRER}/end`,
    title: 'End the script',
    perform: (visit, _form, tools) =>
      askHomologation(visit, tools, CHANGE_SCRIPT, { body: { steps: [], cancels: [] } }),
    done: 'Amount and card decide again.',
  },
];
