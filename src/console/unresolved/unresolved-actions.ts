import type { FoundCharge } from '../../acquirers/acquirer.ts';
import {
  type Case,
  DECISIONS_OF,
  type Decision,
  type DecisionRefusal,
} from '../../transactions/unresolved/unresolved.ts';
import { isUuid } from '../../values/ids.ts';
import { OPERATION_DONE, operationRefused } from '../parts/operation-refused.ts';
import { facts } from '../parts/page-parts.ts';
import { CASE, casePath } from '../parts/paths.ts';
import type { Action } from '../parts/screen.ts';
import type { Wording } from '../parts/wording.ts';
import type { UnresolvedTools } from './unresolved-screens.ts';

export const DECISION_WORDS: Readonly<Record<Decision, string>> = {
  voided: 'Voided: no charge stays',
  declined: 'Declined',
  canceled: 'Given back',
  refused: 'Refused',
  captured: 'Captured',
};

/** Of a cancel or a capture the acquirer says nothing by itself. */
export function isAskable({ kind, isUnresolved }: Case): boolean {
  return kind === 'charge' && isUnresolved;
}

function acquirerText(answer: FoundCharge, { say }: Wording): string {
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

const isDecision = (text: string): text is Decision => Object.hasOwn(DECISION_WORDS, text);

const REFUSALS: Readonly<Record<DecisionRefusal, { readonly status: 404 | 409; readonly text: string }>> = {
  unknownId: { status: 404, text: 'There is no such charge, cancel or capture.' },
  notOfThisKind: { status: 409, text: 'It does not end like that.' },
  final: { status: 409, text: 'It is final already.' },
  underWay: { status: 409, text: 'Its first answer comes within seconds: look again then.' },
  takenOver: { status: 409, text: 'It was decided or tried by somebody else at this moment: look again.' },
};

const ASKED_TOO_OFTEN = 'You have asked the acquirer often just now. Wait some seconds.';

export const ASK: Action<UnresolvedTools> = {
  // A page that is looked at sends nothing to the acquirer: somebody has to press a button.
  path: `${CASE}/ask`,
  roles: ['support', 'finance', 'operator', 'admin'],
  of: 'operator',
  title: 'Ask the acquirer',
  operation: 'resolve.ask',
  isQuestion: true,
  async perform(visit, _form, { askAcquirer, findCase }) {
    const { say } = visit.wording;
    const { id = '' } = visit.parameters;
    const found = isUuid(id) ? await findCase(id) : null;
    if (found === null) return operationRefused(404, say(REFUSALS.unknownId.text));
    if (!isAskable(found)) return operationRefused(409, say(REFUSALS.final.text));
    const answer = await askAcquirer(visit, found);
    if (answer === null) return operationRefused(429, say(ASKED_TOO_OFTEN));
    return { ok: true, status: 200, body: answer };
  },
  reveal: (answer, { wording }) =>
    facts([[wording.say('The acquirer says now'), acquirerText(answer as FoundCharge, wording)]]),
  done: 'The acquirer has answered.',
  next: ({ parameters: { id = '' } }) => casePath(id),
};

export const DECIDE: Action<UnresolvedTools> = {
  path: `${CASE}/decide`,
  roles: ['operator', 'admin'],
  of: 'operator',
  title: 'Decide',
  operation: 'resolve.decide',
  async moves({ parameters: { id = '' }, wording }, { decision = '' }, { findCase }) {
    const found = isUuid(id) ? await findCase(id) : null;
    // What is not there is refused where it is to be decided.
    if (found === null) return { ok: true, status: 200, body: null };
    const ofKind: readonly string[] = DECISIONS_OF[found.kind];
    if (!ofKind.includes(decision)) return operationRefused(409, wording.say(REFUSALS.notOfThisKind.text));
    const { kind, state, amount, isUnresolved } = found;
    const standing = `${kind} ${state} ${amount} ${isUnresolved}`;
    return { ok: true, status: 200, body: { amount, counted: amount, standing, fields: { decision } } };
  },
  saysOf: ({ decision = '' }, { say }) => (isDecision(decision) ? say(DECISION_WORDS[decision]) : ''),
  async perform(visit, { decision, reason = '' }, { decide, findCase }) {
    const { say } = visit.wording;
    const { id = '' } = visit.parameters;
    if (!isUuid(id) || (await findCase(id)) === null)
      return operationRefused(404, say(REFUSALS.unknownId.text));
    const known = Object.values(DECISIONS_OF)
      .flat()
      .find((one) => one === decision);
    if (known === undefined) return operationRefused(409, say(REFUSALS.notOfThisKind.text));
    const decided = await decide(visit, { id, decision: known, reason });
    if (decided.kind === 'decided') return OPERATION_DONE;
    const { status, text } = REFUSALS[decided.refusal];
    return operationRefused(status, say(text));
  },
  done: 'It is decided: nothing asks for it any more.',
  next: ({ parameters: { id = '' } }) => casePath(id),
};

export const UNRESOLVED_ACTIONS: readonly Action<UnresolvedTools>[] = [ASK, DECIDE];
