import type { Gate } from '../../platform/gate.ts';
import type { CarefulPost } from './open-careful-post.ts';

/** The last step before merchants' servers: nothing is sent while the gate is shut. */
export function gatedPost({ post }: Pick<CarefulPost, 'post'>, gate: Gate): CarefulPost['post'] {
  return async (request) => {
    if (gate.reason() === null) return post(request);
    return { kind: 'failed', failure: 'notSent', milliseconds: 0 };
  };
}
