import {
  ageOf,
  type ExceptionState,
  type ReconciliationException,
} from '../../reconciliation/exceptions/exception.ts';
import { type Html, html, type Shown } from '../parts/html.ts';
import {
  actionForm,
  badge,
  emptyState,
  facts,
  link,
  moment,
  section,
  type Tone,
  table,
} from '../parts/page-parts.ts';
import { mayUse, OF_MERCHANT, pathOf, type Visit } from '../parts/screen.ts';
import { EXCEPTION_WORDS } from '../reconciliation/exception-words.ts';
import { type ExceptionFound, exceptionPath } from './exception-found.ts';
import { filePath } from './shown-file.ts';

const STATE_TONES: Readonly<Record<ExceptionState, Tone>> = {
  open: 'wait',
  explained: 'plain',
  healed: 'good',
  resolved: 'good',
};

export const MAY_RESOLVE = { roles: ['finance', 'operator', 'admin'], of: 'operator' } as const;
export const MOST_EXCEPTIONS_SHOWN = 100;
const DAY_SECONDS = 86_400;

export function exceptionTable(found: readonly ReconciliationException[], { wording, now }: Visit): Html {
  const { say, money, day, duration } = wording;
  if (found.length === 0)
    return emptyState(
      say('No exception fits.'),
      say('Where a file of the acquirer differs from what was expected, it stands here.'),
    );
  const rows = found.map((one) => [
    link(exceptionPath(one.exceptionId), say(EXCEPTION_WORDS[one.class])),
    one.merchantId ?? '–',
    money(one.amount),
    one.day === null ? '–' : day(one.day),
    duration(Math.max(DAY_SECONDS, ageOf(one, now) / 1_000)),
    one.expected ?? '–',
    one.found ?? '–',
  ]);
  return html`${table(
    say('Exceptions'),
    [
      { title: say('Class') },
      { title: say('Merchant') },
      { title: say('Missing'), isNumber: true },
      { title: say('Day') },
      { title: say('Age') },
      { title: say('Expected') },
      { title: say('Found') },
    ],
    rows,
  )}${
    found.length >= MOST_EXCEPTIONS_SHOWN &&
    html`<p class="note">${say('Only the largest are shown: choose a merchant, a class or a day.')}</p>`
  }`;
}

export function exceptionPage({ exception, line }: ExceptionFound, visit: Visit): Html {
  const { wording } = visit;
  const { say, money, day } = wording;
  const { reason, resolvedBy, explanation, transactionId, merchantId } = exception;
  const payment =
    transactionId === null || merchantId === null
      ? '–'
      : link(
          pathOf(`${OF_MERCHANT}/payments/{paymentId}`, { merchantId, paymentId: transactionId }),
          transactionId,
        );
  return html`<p class="headline"><strong>${money(exception.amount)}</strong> ${badge(STATE_TONES[exception.state], say(EXCEPTION_WORDS[exception.state]))}</p>
${facts([
  [say('Class'), say(EXCEPTION_WORDS[exception.class])],
  [say('Merchant'), merchantId ?? '–'],
  [say('Payment'), payment],
  [say('Installment'), exception.installmentNumber ?? '–'],
  [say('Day'), exception.day === null ? '–' : day(exception.day)],
  [say('Expected'), exception.expected ?? '–'],
  [say('Found'), exception.found ?? '–'],
  [say('Found at'), moment(wording, exception.openedAt)],
  [say('Ended'), moment(wording, exception.endedAt)],
  ...(explanation === null ? [] : [[say('Explained by'), explanation] as const]),
  ...(reason === null ? [] : [[say('Resolved by'), `${resolvedBy ?? ''}: ${reason}`] as const]),
])}
${resolveForm(exception, visit)}
${
  line !== null &&
  exception.line !== null &&
  section(
    say('Line of the file'),
    html`<p>${link(filePath(exception.line.fileNumber), line.fileName)} (${line.kind})</p><pre class="scroll" tabindex="0">${line.line.trimEnd()}</pre>`,
  )
}`;
}

function resolveForm({ state, exceptionId }: ReconciliationException, visit: Visit): Shown {
  const isOver = state === 'healed' || state === 'resolved';
  if (isOver || !mayUse(MAY_RESOLVE, visit.user)) return '';
  const { say } = visit.wording;
  return actionForm(visit, {
    action: `${exceptionPath(exceptionId)}/resolve`,
    title: say('Resolve'),
    about: say('It ends by what you found out. The reason stands with it and in the audit log.'),
  });
}
