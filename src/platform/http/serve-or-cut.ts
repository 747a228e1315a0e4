import { errorFields, type Log } from '../log.ts';
import { FateUnknown } from '../postgres/database.ts';
import { watchWrites } from '../postgres/write-watch.ts';
import { type Answer, type Call, CUT_CONNECTION, type Route } from './endpoint.ts';

/** Operations end by themselves at the deadline; this ends what has no deadline of its own, such as a slow look-up. */
const DEADLINE_GRACE_MILLISECONDS = 500;

type AnyCall = Call<unknown, unknown, unknown>;

/** Serves one request until its deadline, and cuts its connection where no answer would be true. */
export function serveOrCut(log: Log, served: Route, call: AnyCall): Promise<Answer | typeof CUT_CONNECTION> {
  return orCutAt(serveWatched(log, served, call), call.deadlineAt + DEADLINE_GRACE_MILLISECONDS);
}

function orCutAt<T>(answer: Promise<T>, at: number): Promise<T | typeof CUT_CONNECTION> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => resolve(CUT_CONNECTION), Math.max(0, at - performance.now()));
    answer.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

/**
 * An error answer says that nothing was made. Where something was written by then, or may have been, no error answer is true:
 * the connection is cut, whatever the operation thought of. Reads make nothing, and what a login makes counts for nobody
 * until it is answered.
 */
async function serveWatched(
  log: Log,
  { endpoint, serve }: Route,
  call: AnyCall,
): Promise<Answer | typeof CUT_CONNECTION> {
  if (endpoint.method === 'GET' || endpoint.makesNothingUnanswered === true) return serve(call);
  const watch = { mayHaveWritten: false };
  try {
    return await watchWrites(watch, () => serve(call));
  } catch (error) {
    if (!watch.mayHaveWritten && !(error instanceof FateUnknown)) throw error;
    log.error({ requestId: call.requestId, ...errorFields(error) }, 'a request failed behind a write');
    return CUT_CONNECTION;
  }
}
