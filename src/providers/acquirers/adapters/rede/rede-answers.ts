import type { NewToken } from '../../../../platform/channels/access-token.ts';
import { type Fields, fieldsOf, textOf } from '../../../../platform/channels/answer-fields.ts';
import type { Asked, ChannelAnswer } from '../../../../platform/channels/ask-once.ts';
import { unusable } from '../../../../platform/channels/unclear.ts';
import {
  type Approval,
  type AuthorizationAnswer,
  type AuthorizationRequest,
  type CaptureAnswer,
  type DeclineAnswer,
  type FoundCharge,
  REFERENCE_OF_ANOTHER,
  type Unknown,
  type VerificationAnswer,
} from '../../acquirer.ts';
import {
  adviceOf,
  approvalOf,
  type CancelRead,
  deniedBy,
  isCode,
  isOfAcquirer,
  NO_CODE,
  unanswered,
  uselessAnswer,
  verifiedBy,
} from '../../direct-acquirer.ts';
import { type NamedReference, readNetworkReference } from '../../network-reference.ts';
import { shortReference } from '../../short-reference.ts';
import type { GivenBack } from '../../sum-cancel.ts';
import {
  REDE_CAPTURE_REFUSALS,
  REDE_DECLINES,
  REDE_FORBIDDEN,
  REDE_NO_REFUND,
  REDE_NOT_MADE,
  REDE_REFERENCE_REUSED,
  REDE_REFUND,
  REDE_REFUND_REFUSALS,
  REDE_SUCCESS,
  REDE_UNCLEAR,
  REDE_UNKNOWN,
  REDE_VERIFIED,
} from './rede-codes.ts';

/** An answer with another reference or amount is unknown, and will be resolved. */
export function readRedeAuthorization(
  answer: Asked,
  asked: Pick<AuthorizationRequest, 'reference' | 'amount'>,
  capture: boolean,
): AuthorizationAnswer {
  if (answer.kind !== 'answer') return answer;
  const body = fieldsOf(answer.body);
  const code = codeOf(body.returnCode);
  if (code !== REDE_SUCCESS) return readRefusal(answer, body);
  if (answer.status >= 300) return unusable(`Rede answered ${answer.status}, and a success`);
  if (body.reference !== shortReference(asked.reference))
    return unusable('the answer was for another reference');
  if (body.amount !== asked.amount) return unusable('the answer was for another amount');
  const approval = readApproval(body);
  return approval.kind === 'approved' && !capture ? { ...approval, kind: 'preauthorized' } : approval;
}

export function readRedeVerification(answer: Asked): VerificationAnswer {
  if (answer.kind !== 'answer') return answer;
  const body = fieldsOf(answer.body);
  if (textOf(body.returnCode) === REDE_VERIFIED && answer.status < 300)
    return verifiedBy(networkReferenceOf(body));
  const refused = readRefusal(answer, body);
  return refused.kind === 'notMade' ? unusable(refused.reason) : refused;
}

/** The brand's own code is the issuer's; without one, the code of Rede's table is read by its lists. */
function readRefusal(
  { status }: ChannelAnswer,
  body: Fields,
): DeclineAnswer | Unknown | Extract<AuthorizationAnswer, { kind: 'notMade' }> {
  const code = codeOf(body.returnCode);
  if (status >= 500 || code === null) return unusable(`Rede answered ${status}`);
  if (code === REDE_REFERENCE_REUSED) return unusable(REFERENCE_OF_ANOTHER);
  if (REDE_UNCLEAR.has(code)) return unusable(`Rede answered ${code}`);
  if (REDE_NOT_MADE.has(code)) return { kind: 'notMade', reason: `Rede refused the request by ${code}` };
  const decline = brandDecline(fieldsOf(body.brand));
  if (decline !== null) return decline;
  return REDE_DECLINES.has(code) ? NO_CODE : unusable(`Rede answered ${code}`);
}

/** What brands call an approval. */
const APPROVED_CODES: ReadonlySet<string> = new Set(['0', '00', '000']);

function brandDecline({ returnCode, merchantAdviceCode }: Fields): DeclineAnswer | null {
  if (!isCode(returnCode) || APPROVED_CODES.has(returnCode)) return null;
  return { kind: 'declined', responseCode: returnCode, adviceCode: adviceOf(merchantAdviceCode) };
}

function readApproval(body: Fields): Approval | Unknown {
  const brand = fieldsOf(body.brand);
  return approvalOf({
    authorizationCode: textOf(body.authorizationCode) ?? textOf(brand.authorizationCode),
    nsu: textOf(body.nsu),
    tid: textOf(body.tid),
    networkReference: networkReferenceOf(body),
  });
}

/** In an opened answer they stand in the brand's group. */
function networkReferenceOf(body: Fields): NamedReference {
  const brand = fieldsOf(body.brand);
  const of = (name: string) => textOf(brand[name]) ?? textOf(body[name]);
  return readNetworkReference(of('brandTid'), of('transactionLinkId'));
}

/** `tid` and `capturedAmount` are for what is done next with a charge that is live. */
export type FoundAtRede = {
  readonly found: FoundCharge;
  readonly tid: string | null;
  /** Cents; null while it is not captured. */
  readonly capturedAmount: number | null;
  readonly authorizedAmount: number | null;
};

const notLive = (found: FoundAtRede['found']): FoundAtRede => ({
  found,
  tid: null,
  capturedAmount: null,
  authorizedAmount: null,
});

export function readRedeCharge(answer: Asked, reference: string): FoundAtRede {
  if (answer.kind !== 'answer') return notLive(unanswered(answer));
  const body = fieldsOf(answer.body);
  const code = codeOf(body.returnCode);
  if (answer.status === 404 || (answer.status < 500 && code !== null && REDE_UNKNOWN.includes(code)))
    return notLive({ kind: 'notFound' });
  const authorization = fieldsOf(body.authorization);
  if (answer.status !== 200) return notLive(uselessAnswer(answer, `Rede answered ${answer.status}`));
  if (authorization.reference !== shortReference(reference))
    return notLive(unusable('the answer was for another reference'));
  // The manual has the brand's group beside the authorization.
  const hasBrand = Object.keys(fieldsOf(authorization.brand)).length > 0;
  return readFound({ ...authorization, brand: hasBrand ? authorization.brand : body.brand }, body.capture);
}

function readFound(authorization: Fields, capture: unknown): FoundAtRede {
  switch (authorization.status) {
    case 'Denied':
      return notLive(brandDecline(fieldsOf(authorization.brand)) ?? NO_CODE);
    case 'Canceled':
      return { ...notLive({ kind: 'voided' }), tid: textOf(authorization.tid) };
    case 'Approved':
    case 'Pending': {
      // What is held for a capture is pending, and so may be what nobody has decided.
      if (codeOf(authorization.returnCode) !== REDE_SUCCESS)
        return notLive(unusable('Rede has not decided it yet'));
      const approval = readApproval(authorization);
      if (approval.kind !== 'approved') return notLive(approval);
      const capturedAmount = typeof capture === 'object' && capture !== null ? amountOf(capture) : null;
      const isCaptured = typeof capture === 'object' && capture !== null;
      const found = isCaptured
        ? { ...approval, amount: capturedAmount }
        : ({ kind: 'preauthorized' } as const);
      return {
        ...{ found, tid: approval.tid, capturedAmount },
        authorizedAmount: amountOf(authorization),
      };
    }
    default:
      return notLive(unusable('Rede has not decided it yet'));
  }
}

export function readRedeCapture(answer: Asked, amount: number): CaptureAnswer {
  if (answer.kind !== 'answer') return answer;
  const body = fieldsOf(answer.body);
  const code = codeOf(body.returnCode);
  if (code === REDE_SUCCESS && answer.status < 300) {
    const booked = body.amount ?? amount;
    return booked === amount ? { kind: 'captured' } : unusable('the answer was for another amount');
  }
  const denial = isOfAcquirer(answer) ? REDE_CAPTURE_REFUSALS[code ?? ''] : undefined;
  return deniedBy(answer, denial, `Rede answered ${code ?? answer.status}`);
}

/** `isCaptured`: the charge is shown as captured. */
export function readRedeRefund(answer: Asked, isCaptured: boolean): CancelRead {
  if (answer.kind !== 'answer') return answer;
  const code = codeOf(fieldsOf(answer.body).returnCode);
  if (code === null || !isOfAcquirer(answer)) return uselessAnswer(answer, `Rede answered ${answer.status}`);
  if (code === REDE_REFUND.done) return { kind: 'canceled' };
  if (code === REDE_REFUND.accepted)
    return { kind: 'pending', refundId: textOf(fieldsOf(answer.body).refundId) };
  const read = deniedBy(answer, REDE_REFUND_REFUSALS[code], `Rede answered ${code}`);
  if (read.kind !== 'denied') return read;
  return { ...read, code, proof: code === REDE_FORBIDDEN && isCaptured ? 'doubtful' : read.proof };
}

const DONE = /^(done|approved|success|successful|completed|canceled)$/i;
const FAILED = /^(denied|rejected|failed|refused|error)$/i;

/** A state that we do not know counts as under way. */
export function readRedeRefunds(answer: ChannelAnswer): GivenBack | Unknown {
  const body = fieldsOf(answer.body);
  if (textOf(body.returnCode) === REDE_NO_REFUND)
    return { done: 0, underWay: 0, underWayIds: [], failed: [] };
  if (answer.status !== 200 || !Array.isArray(body.refunds))
    return uselessAnswer(answer, `Rede answered ${answer.status}`);
  let [done, underWay] = [0, 0];
  const [failed, underWayIds]: [string[], string[]] = [[], []];
  for (const refund of body.refunds.map(fieldsOf)) {
    const { amount } = refund;
    if (!Number.isSafeInteger(amount)) return unusable('a refund has no amount');
    const [status, refundId] = [textOf(refund.status) ?? '', textOf(refund.refundId) ?? ''];
    if (DONE.test(status)) done += amount as number;
    else if (FAILED.test(status)) failed.push(refundId);
    else {
      underWay += amount as number;
      if (refundId !== '') underWayIds.push(refundId);
    }
  }
  return { done, underWay, underWayIds, failed };
}

export function readRedeToken(answer: Asked): NewToken {
  if (answer.kind !== 'answer') return { kind: 'away', reason: answer.reason };
  const { access_token: token, expires_in: seconds } = fieldsOf(answer.body);
  if (answer.status === 400 || answer.status === 401)
    return { kind: 'refused', reason: 'Rede takes no such PV with this key for its token' };
  if (answer.status !== 200 || typeof token !== 'string' || !/^[\x21-\x7e]{1,8192}$/.test(token))
    return { kind: 'away', reason: `Rede answered ${answer.status} for a token` };
  return { kind: 'token', token, seconds };
}

/** Some write 03 where the table says 3. */
export function codeOf(value: unknown): string | null {
  const text = textOf(value);
  return text === null || text === REDE_SUCCESS ? text : text.replace(/^0+(?=\d)/, '');
}

function amountOf(value: object): number | null {
  const { amount } = value as Fields;
  return Number.isSafeInteger(amount) ? (amount as number) : null;
}
