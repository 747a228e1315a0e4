import type { FoundCharge } from '../../acquirers/acquirer.ts';
import { type Case, DECISIONS_OF, type Decision } from '../../transactions/unresolved/unresolved.ts';
import { type Html, html, type Shown } from '../parts/html.ts';
import { actionForm, badge, facts, link, moment, section } from '../parts/page-parts.ts';
import { AUDIT, casePath, pathOf, paymentPath, withQuery } from '../parts/paths.ts';
import { MAY_SEE_AUDIT, mayUse, type Visit } from '../parts/screen.ts';
import type { Wording } from '../parts/wording.ts';
import { KIND_WORDS } from './waiting-thing.ts';

export const MAY_ASK = { roles: ['support', 'finance', 'operator', 'admin'], of: 'operator' } as const;
export const MAY_DECIDE = { roles: ['operator', 'admin'], of: 'operator' } as const;

export const DECISION_WORDS: Readonly<Record<Decision, string>> = {
  voided: 'Voided: no charge stays',
  declined: 'Declined',
  canceled: 'Given back',
  refused: 'Refused',
  captured: 'Captured',
};

export function casePage(found: Case, visit: Visit): Html {
  const { wording } = visit;
  const { say, money, count } = wording;
  const state = found.isUnresolved ? badge('wait', say('Unknown')) : badge('plain', found.state);
  return html`<p class="headline"><strong>${money(found.amount)}</strong> ${state}</p>
${facts([
  [say('Kind'), say(KIND_WORDS[found.kind])],
  [say('Merchant'), found.merchantId],
  [
    say('Payment'),
    found.origin === 'payment'
      ? link(paymentPath(found.merchantId, found.transactionId), found.transactionId)
      : found.transactionId,
  ],
  [say('Reference'), found.referenceTransaction ?? '–'],
  [say('Card'), `${found.brand} ${found.firstSix}…${found.lastFour}`],
  [say('Asked by'), found.createdBy],
  [say('State'), found.state],
  [say('Begun'), moment(wording, found.createdAt)],
  [say('Decided'), moment(wording, found.decidedAt)],
  [say('Tries'), count(found.tries)],
  [say('Next try'), moment(wording, found.dueAt)],
  [say('Last reason'), found.reason ?? '–'],
])}
${askForm(found, visit)}
${decisionForm(found, visit)}
${section(
  say('What was decided about it'),
  html`<p>${
    mayUse(MAY_SEE_AUDIT, visit.user)
      ? link(withQuery(pathOf(AUDIT), { action: 'resolve.decide' }), say('Decisions in the audit log'))
      : say('Decisions in the audit log')
  }</p>`,
)}`;
}

export function acquirerText(answer: FoundCharge, { say }: Wording): string {
  switch (answer.kind) {
    case 'approved':
      return say('Approved: the charge is live, code {code}', { code: answer.authorizationCode });
    case 'preauthorized':
      return say('Authorized, and not captured');
    case 'declined':
      return say('Declined with {code}', { code: answer.responseCode });
    case 'voided':
      return say('Voided');
    case 'notFound':
      return say('It knows of no such charge; it may still be on its way');
    case 'unknown':
    case 'notSent':
      return say('No clear answer: {reason}', { reason: answer.reason });
  }
}

/** Of a cancel or a capture the acquirer says nothing by itself. */
export function isAskable({ kind, isUnresolved }: Case): boolean {
  return kind === 'charge' && isUnresolved;
}

function askForm(found: Case, visit: Visit): Shown {
  if (!isAskable(found) || !mayUse(MAY_ASK, visit.user)) return '';
  const { say } = visit.wording;
  return actionForm(visit, {
    action: `${casePath(found.id)}/ask`,
    title: say('Ask the acquirer'),
    about: say('What it says of this charge now is shown once. Nothing is changed by it.'),
    isQuestion: true,
  });
}

function decisionForm(found: Case, visit: Visit): Shown {
  if (!found.isUnresolved || !mayUse(MAY_DECIDE, visit.user)) return '';
  const { say } = visit.wording;
  const decisions: readonly Decision[] = DECISIONS_OF[found.kind];
  return actionForm(visit, {
    action: `${casePath(found.id)}/decide`,
    title: say('Decide'),
    about: say(
      'It is asked for again by itself. Decide only what you found out at the desk of the acquirer; the reason names who said so.',
    ),
    fields: [
      {
        name: 'decision',
        label: say('It ends as'),
        isRequired: true,
        choices: [['', '–'], ...decisions.map((one) => [one, say(DECISION_WORDS[one])] as const)],
      },
    ],
    isGrave: true,
  });
}
