import { isDeepStrictEqual } from 'node:util';
import type { Asked } from '../../../platform/channels/ask-once.ts';
import type { CapabilitiesAnswer, Unknown } from '../../acquirer.ts';
import { type About, readAbout, UNREAD_ABOUT } from './about.ts';

/** What the bridge reported of itself last; what cannot be believed leaves it as it was. */
export class KnownAbout {
  last: About;

  constructor(first: About | null) {
    this.last = first ?? UNREAD_ABOUT;
  }

  readonly read = (answer: Asked): CapabilitiesAnswer => {
    if (answer.kind !== 'answer') return unknown(answer.reason);
    const read = answer.status === 200 ? readAbout(answer.body) : `answered ${answer.status}`;
    if (typeof read === 'string') return unknown(`the bridge ${read}`);
    // One to real money stays one.
    if (this.last.isReal && !read.isReal) return unknown('the bridge is a simulator now');
    const changed = !isDeepStrictEqual(this.last, read);
    this.last = read;
    return { kind: 'capabilities', changed, capabilities: read.capabilities };
  };
}

function unknown(reason: string): Unknown {
  return { kind: 'unknown', reason };
}
