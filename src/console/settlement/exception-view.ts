import type { ReconciliationException } from '../../reconciliation/exceptions/exception.ts';
import type { EntryKind } from '../../reconciliation/settlement-entry.ts';
import { type Html, html, type Shown } from '../parts/html.ts';
import { actionForm, facts, link, moment, section } from '../parts/page-parts.ts';
import { boletoPath, filePath, paymentPath } from '../parts/paths.ts';
import type { Visit } from '../parts/screen.ts';
import { EXCEPTION_WORDS, exceptionBadge, foundText } from '../reconciliation/exception-words.ts';
import { RESOLVE } from './exception-actions.ts';
import type { ExceptionFound } from './exception-found.ts';

/** What a line of an acquirer's file is about. */
const LINE_WORDS: Readonly<Record<EntryKind, string>> = {
  sale: 'A sale',
  schedule: 'What is to be paid',
  payout: 'A payout',
  anticipation: 'A payout before its day',
  cancel: 'A cancel',
  cancelReversal: 'A cancel that was taken back',
  chargeback: 'A chargeback',
  chargebackReversal: 'A chargeback that was taken back',
  adjustment: 'A credit or debit of no sale',
  pledge: 'A pledge',
  unknown: 'Its code is not known',
};

export function exceptionPage({ exception, line }: ExceptionFound, visit: Visit): Html {
  const { wording } = visit;
  const { say, money, day } = wording;
  const { reason, resolvedBy, explanation, transactionId, merchantId } = exception;
  const { boletoId } = exception;
  const ofMerchant = () => {
    if (merchantId === null) return '–';
    if (boletoId !== null) return link(boletoPath(merchantId, boletoId), boletoId);
    return transactionId === null ? '–' : link(paymentPath(merchantId, transactionId), transactionId);
  };
  return html`<p class="headline"><strong>${money(exception.amount)}</strong> ${exceptionBadge(exception.state, wording)}</p>
${facts([
  [say('Class'), say(EXCEPTION_WORDS[exception.class])],
  [say('Merchant'), merchantId ?? '–'],
  [boletoId === null ? say('Payment') : say('Boleto'), ofMerchant()],
  [say('Installment'), exception.installmentNumber ?? '–'],
  [say('Day'), exception.day === null ? '–' : day(exception.day)],
  [say('Expected'), foundText(exception.class, exception.expected, wording)],
  [say('Found'), foundText(exception.class, exception.found, wording)],
  [say('Found at'), moment(wording, exception.openedAt)],
  [say('Ended at'), moment(wording, exception.endedAt)],
  ...(explanation === null ? [] : [[say('Explained by'), say(EXCEPTION_WORDS[explanation])] as const]),
  ...(reason === null ? [] : [[say('Resolved by'), `${resolvedBy ?? ''}: ${reason}`] as const]),
])}
${resolveForm(exception, visit)}
${
  line !== null &&
  exception.line !== null &&
  section(
    say('Line of the file'),
    html`<p>${link(filePath(exception.line.fileNumber), line.fileName)} (${say(LINE_WORDS[line.kind])})</p><pre class="scroll" tabindex="0">${line.line.trimEnd()}</pre>`,
  )
}`;
}

function resolveForm({ state, exceptionId }: ReconciliationException, visit: Visit): Shown {
  if (state === 'healed' || state === 'resolved') return '';
  return actionForm(visit, RESOLVE, {
    values: { id: exceptionId },
    about: visit.wording.say(
      'It ends by what you found out. The reason stands with it and in the audit log.',
    ),
  });
}
