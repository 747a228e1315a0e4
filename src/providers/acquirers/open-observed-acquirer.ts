import type { CallAnswer } from '../../platform/process-reports/peer-calls.ts';
import type { Acquirer } from './acquirer.ts';

export type CallObserver = (
  operation:
    | 'authorize'
    | 'verify'
    | 'undo'
    | 'find'
    | 'cancel'
    | 'capture'
    | 'findCapture'
    | 'changes'
    | 'charges'
    | 'about',
  answer: CallAnswer,
  seconds: number,
) => void;

/** Reports the duration and the kind of answer. */
export function observing(observe: CallObserver) {
  return async <A extends { kind: string }>(
    operation: Parameters<CallObserver>[0],
    asked: Promise<A>,
  ): Promise<A> => {
    const startedAt = performance.now();
    const answer = await asked;
    observe(operation, answer, (performance.now() - startedAt) / 1_000);
    return answer;
  };
}

export function openObservedAcquirer<Port extends Acquirer>(acquirer: Port, observe: CallObserver): Port {
  const observed = observing(observe);
  return {
    ...acquirer,
    authorize: (...asked) => observed('authorize', acquirer.authorize(...asked)),
    verify: (...asked) => observed('verify', acquirer.verify(...asked)),
    voidCharge: (...asked) => observed('undo', acquirer.voidCharge(...asked)),
    voidTwins: (...asked) => observed('undo', acquirer.voidTwins(...asked)),
    find: (...asked) => observed('find', acquirer.find(...asked)),
    cancel: (...asked) => observed('cancel', acquirer.cancel(...asked)),
    capture: (...asked) => observed('capture', acquirer.capture(...asked)),
    findCapture: (...asked) => observed('findCapture', acquirer.findCapture(...asked)),
  };
}
