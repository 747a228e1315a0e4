import { type Case, DECISIONS_OF, type Decision } from '../../transactions/unresolved/unresolved.ts';
import { cardText } from '../parts/card-text.ts';
import { type Html, html, type Shown } from '../parts/html.ts';
import { actionForm, actorText, facts, link, moment, quotation, section } from '../parts/page-parts.ts';
import { AUDIT, pathOf, paymentPath, withQuery } from '../parts/paths.ts';
import { MAY_SEE_AUDIT, mayUse, type Visit } from '../parts/screen.ts';
import { badge, type States, stateBadge } from '../parts/states.ts';
import { ASK, DECIDE, DECISION_WORDS, isAskable } from './unresolved-actions.ts';
import { KIND_WORDS } from './waiting-thing.ts';

const CASE_STATES: States<Case['state']> = {
  charging: { tone: 'wait', text: 'Unknown' },
  unresolved: { tone: 'wait', text: 'Unknown' },
  capturing: { tone: 'wait', text: 'Unknown' },
  canceling: { tone: 'wait', text: 'Unknown' },
  pending: { tone: 'wait', text: 'Being given back' },
  preauthorized: { tone: 'wait', text: 'Preauthorized' },
  approved: { tone: 'good', text: 'Authorized' },
  captured: { tone: 'good', text: 'Captured' },
  canceled: { tone: 'good', text: 'Given back' },
  declined: { tone: 'bad', text: 'Declined' },
  refused: { tone: 'bad', text: 'Refused' },
  voided: { tone: 'plain', text: 'Voided' },
};

export function casePage(found: Case, visit: Visit): Html {
  const { wording } = visit;
  const { say, money, count } = wording;
  const state = found.isUnresolved
    ? badge('wait', say('Unknown'))
    : stateBadge(CASE_STATES, found.state, wording);
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
  [say('Card'), `${cardText(found)} (${found.firstSix})`],
  [say('Asked by'), actorText(found.createdBy, wording)],
  [say('Begun'), moment(wording, found.createdAt)],
  [say('Decided'), moment(wording, found.decidedAt)],
  [say('Tries'), count(found.tries)],
  [say('Next try'), moment(wording, found.dueAt)],
  [say('Last reason, as it was noted'), quotation(found.reason)],
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

function askForm(found: Case, visit: Visit): Shown {
  if (!isAskable(found)) return '';
  return actionForm(visit, ASK, {
    values: { id: found.id },
    about: visit.wording.say('What it says of this charge now is shown once. Nothing is changed by it.'),
  });
}

function decisionForm(found: Case, visit: Visit): Shown {
  if (!found.isUnresolved) return '';
  const { say } = visit.wording;
  const decisions: readonly Decision[] = DECISIONS_OF[found.kind];
  return actionForm(visit, DECIDE, {
    values: { id: found.id },
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
