import type { Asked, Question } from '../../../platform/channels/ask-once.ts';
import type { SharedPool } from '../../../platform/channels/shared-pool.ts';
import { utcText } from '../../../values/instant.ts';
import {
  type Acquirer,
  CAPTURE_REFUSAL_REASONS,
  type CaptureAnswer,
  type CaptureRequest,
  type FoundCapture,
} from '../../acquirer.ts';
import { connectedOrUnknown, fieldsOf, unknown } from './bridge-answers.ts';

/** Captures of what was pre-authorized, over the connections of a bridge. */
export function bridgeCaptures(wire: {
  readonly charging: Pick<SharedPool, 'ask'>;
  readonly resolving: Pick<SharedPool, 'ask'>;
  readonly asking: (method: 'GET' | 'POST', path: string, body?: object) => Question;
}): Pick<Acquirer, 'capture' | 'findCapture'> {
  const { charging, resolving, asking } = wire;
  return {
    async capture(request, timeout) {
      const wanted = { merchantId: request.merchantId, kind: 'captures' };
      const body = { ...request, capturedAt: utcText(request.capturedAt) };
      return readCapture(await charging.ask(wanted, asking('POST', '/captures', body), timeout), request);
    },
    async findCapture({ merchantId, captureReference, amount }, timeout) {
      const path = `/captures/${encodeURIComponent(captureReference)}?merchantId=${encodeURIComponent(merchantId)}`;
      const question = { ...asking('GET', path), template: '/captures/{captureReference}' };
      const answer = await resolving.ask({ merchantId }, question, timeout);
      return readFoundCapture(answer, { captureReference, amount });
    },
  };
}

type AskedCapture = Pick<CaptureRequest, 'captureReference' | 'amount'>;

/** A capture is accepted only with the requested reference and amount. */
function readCapture(answer: Asked, asked: AskedCapture): CaptureAnswer {
  if (answer.kind !== 'answer') return answer;
  const body = fieldsOf(answer.body);
  if (answer.status !== 200 || body === null) return unknown(`the acquirer answered ${answer.status}`);
  if (body.captureReference !== asked.captureReference) return unknown('the answer was for another capture');
  if (body.outcome === 'captured') {
    return body.amount === asked.amount ? { kind: 'captured' } : unknown('the answer was for another amount');
  }
  const reason = CAPTURE_REFUSAL_REASONS.find((known) => known === body.reason);
  if (body.outcome === 'refused' && reason !== undefined) return { kind: 'refused', reason };
  return unknown('the answer was neither a yes nor a no');
}

function readFoundCapture(answer: Asked, asked: AskedCapture): FoundCapture {
  const found = connectedOrUnknown(answer);
  if (found.kind === 'answer' && found.status === 404 && fieldsOf(found.body)?.error === 'notFound')
    return { kind: 'notFound' };
  const read = readCapture(found, asked);
  return read.kind === 'notConnected' ? { ...read, kind: 'unknown' } : read;
}
