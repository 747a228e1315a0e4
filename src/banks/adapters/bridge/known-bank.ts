import type { Asked } from '../../../platform/channels/ask-once.ts';
import { type BankAbout, readBankAbout } from './about.ts';

/** `away`: it does not say now who it is. `unfit`: it is not one that may be asked. */
export type Identified =
  | { readonly kind: 'known'; readonly about: BankAbout }
  | { readonly kind: 'away'; readonly reason: string }
  | { readonly kind: 'unfit'; readonly reason: string };

/** Which bank it is, as soon as it has said so once; another one is named with a restart. */
export class KnownBank {
  about: BankAbout | null = null;
  readonly #isRealOnly: boolean;

  constructor(isRealOnly: boolean) {
    this.#isRealOnly = isRealOnly;
  }

  read(answer: Asked): Identified {
    if (answer.kind !== 'answer') return { kind: 'away', reason: answer.reason };
    if (answer.status !== 200)
      return { kind: 'away', reason: `the bank answered ${answer.status} at /about` };
    const read = readBankAbout(answer.body);
    if (typeof read === 'string') return { kind: 'unfit', reason: `the bank ${read}` };
    if (this.#isRealOnly && !read.isReal)
      return { kind: 'unfit', reason: 'the bank does not say that it is no simulator' };
    this.about = read;
    return { kind: 'known', about: read };
  }
}
