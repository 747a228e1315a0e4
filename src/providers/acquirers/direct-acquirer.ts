import type { Asked, ChannelAnswer, Question } from '../../platform/channels/ask-once.ts';
import { behindAnswer, unusable } from '../../platform/channels/unclear.ts';
import type { ProviderSettings, ProviderTerms } from '../provider.ts';
import {
  type AcquirerTraits,
  type Approval,
  type AuthorizationRequest,
  type CancelAnswer,
  type CaptureAnswer,
  type DeclineAnswer,
  type Denial,
  type Denied,
  type FoundCapture,
  NO_ISSUER_CODE,
  type NotSent,
  type Unknown,
  type VoidAnswer,
} from './acquirer.ts';
import { AcquirerUnfit } from './acquirer-unfit.ts';
import { booksLateBy, type Late, referencesBy } from './adapter-settings.ts';
import type { NamedReference } from './network-reference.ts';

/** Settings of an acquirer that is asked at its own API. */
export type DirectSettings = Pick<AcquirerTraits, 'networkId' | 'link'> & {
  readonly isTwoSteps: boolean;
  readonly softDescriptor: string | null;
  /** Milliseconds after which the acquirer surely books nothing more that was sent before. */
  readonly horizon: number;
  readonly apart: number;
  /** Milliseconds after which it surely books no cancel any more that was sent before. */
  readonly silence: number;
};

export function directSettings(
  settings: ProviderSettings,
  usual: Late & { readonly isTwoSteps: boolean },
): DirectSettings {
  return {
    isTwoSteps: settings.capture === undefined ? usual.isTwoSteps : settings.capture === 'twoSteps',
    softDescriptor: settings.softDescriptor ?? null,
    ...referencesBy(settings),
    ...booksLateBy(settings, usual),
  };
}

/** Throws `AcquirerUnfit` for real cards in homologation and for simulated ones in production. */
export function checkPlace(
  url: string,
  environment: 'homologation' | 'production',
  terms: ProviderTerms,
  real: { readonly origin: string; readonly address: string },
): void {
  const isReal = new URL(url).origin === real.origin;
  if (isReal === (environment === 'production')) return;
  throw new AcquirerUnfit(
    isReal
      ? `${terms.url}: ${url} charges real cards, which only production may do`
      : `${terms.url}: production charges at ${real.address} alone`,
  );
}

export type DirectQuestion = {
  readonly method: Question['method'];
  /** Below the prefix of the API. */
  readonly path: string;
  readonly template: string;
  readonly body: object | null;
};

export function questionBelow(
  prefix: string,
  version: string,
  { method, path, template, body }: DirectQuestion,
  headers: Question['headers'],
): Question {
  const sent = body === null ? null : JSON.stringify(body);
  return { method, path: prefix + path, template: version + template, body: sent, headers };
}

/** With less time nothing is sent. */
export const SHORTEST_MILLISECONDS = 100;

export const unknown = (reason: string): Unknown => ({ kind: 'unknown', reason });

/** Whether the merchant charges a stored card as agreed (a subscription), also again after a decline. */
export function isOfSubscription({
  initiator,
  storedCardReason,
}: Pick<AuthorizationRequest, 'initiator' | 'storedCardReason'>): boolean {
  return initiator === 'merchant' && storedCardReason !== null && storedCardReason !== 'unscheduled';
}

/** An error on the way to the acquirer is as no answer. */
export function uselessAnswer({ status }: Pick<ChannelAnswer, 'status'>, reason: string): Unknown {
  return status >= 500 ? unknown(reason) : unusable(reason);
}

/** What a look-up answers when its first question got no answer. */
export function unanswered(asked: Exclude<Asked, ChannelAnswer>): Unknown | NotSent {
  return asked.kind === 'notSent' ? asked : unknown(asked.reason);
}

/** Of the second question of a look-up: even if it was not sent it is a try, for the first was answered. */
export function unansweredBehind({ kind, reason }: Exclude<Asked, ChannelAnswer>): Unknown {
  return { kind: 'unknown', cause: kind === 'notSent' ? 'notAsked' : 'partly', reason };
}

export const NO_CODE: DeclineAnswer = { kind: 'declined', responseCode: NO_ISSUER_CODE, adviceCode: null };

/** Refusals by the acquirer's own codes. */
export type Denials = Readonly<Record<string, Denial>>;

/** `codes`: separated by spaces. */
export function denials(proof: Denial['proof'], refusal: Denial['refusal'], codes: string): Denials {
  return Object.fromEntries(codes.split(' ').map((code) => [code, { proof, refusal }]));
}

/** A code is believed in an answer, not in an error on the way to it. */
export function isOfAcquirer({ status }: ChannelAnswer): boolean {
  return (status >= 200 && status < 300) || (status >= 400 && status < 500);
}

/** `denial` undefined: the code stands in no list. */
export function deniedBy(
  answer: Pick<ChannelAnswer, 'status'>,
  denial: Denial | undefined,
  reason: string,
): Denied | Unknown {
  return denial === undefined ? uselessAnswer(answer, reason) : { kind: 'denied', reason, ...denial };
}

/** What a capture came to that was not done at once: `find` looks it up. Without that an answer stands. */
export async function foundUnlessKnown(
  answer: CaptureAnswer,
  find: () => Promise<FoundCapture>,
): Promise<CaptureAnswer> {
  if (answer.kind === 'captured' || answer.kind === 'notSent' || answer.kind === 'notConnected')
    return answer;
  const found = await find();
  if (found.kind === 'captured' || found.kind === 'refused') return found;
  return answer.kind === 'denied' ? { ...answer, isUnseen: found.kind !== 'notFound' } : answer;
}

/** As `CancelAnswer`, with the acquirer's own code of a no. */
export type CancelRead =
  | Exclude<CancelAnswer, { kind: 'refused' | 'notFound' | 'denied' }>
  | (Denied & { readonly code: string });

/** Of a void: its acquirer shows the charge as live until it is done. */
export const VOID_ACCEPTED = 'the acquirer accepted the void, and has not done it yet';

/** What a void came to that did not end a live charge. `isHeld`: it was shown as held. `late`: codes. */
export function notVoided(
  read: Exclude<CancelRead, { kind: 'canceled' }>,
  isHeld: boolean,
  late: ReadonlySet<string>,
): Extract<VoidAnswer, Unknown | NotSent> {
  switch (read.kind) {
    case 'notSent':
      return { kind: 'notSent', reason: read.reason };
    case 'notConnected':
      return behindAnswer(unknown(read.reason));
    case 'pending':
      return isHeld
        ? {
            ...unusable('the acquirer accepted the void of a hold, and has not done it yet'),
            ofHold: 'unclear',
          }
        : { ...unusable(VOID_ACCEPTED), promise: 'made' };
    case 'unknown': {
      const unclear = behindAnswer(read);
      return isHeld ? { ...unclear, ofHold: 'unclear' } : unclear;
    }
    case 'denied': {
      const said = unusable(read.reason);
      if (isHeld) return { ...said, ofHold: late.has(read.code) ? 'late' : 'refused' };
      return read.proof === 'unlessEarlier' ? { ...said, promise: 'ofEarlier' } : said;
    }
  }
}

type SaidOfApproval = { readonly [Field in 'authorizationCode' | 'nsu' | 'tid']: string | null } & {
  readonly networkReference: NamedReference;
};

export function approvalOf(said: SaidOfApproval): Approval | Unknown {
  const { authorizationCode, nsu, tid, networkReference } = said;
  if (!isShortText(authorizationCode) || !isShortText(nsu) || !isShortText(tid))
    return unusable('the approval was incomplete');
  return { kind: 'approved', authorizationCode, nsu, networkReference, tid };
}

/** The approval of a verification: nothing was sold, so it has no code and no number. */
export function verifiedBy(networkReference: NamedReference): Approval {
  return { kind: 'approved', authorizationCode: '0', nsu: '0', networkReference, tid: null };
}

function isShortText(value: string | null): value is string {
  return value !== null && /^[\x21-\x7e]{1,32}$/.test(value);
}

export function isCode(value: unknown): value is string {
  return typeof value === 'string' && /^[0-9A-Za-z]{1,4}$/.test(value);
}

export function adviceOf(code: unknown): string | null {
  return isCode(code) ? code.padStart(2, '0') : null;
}
