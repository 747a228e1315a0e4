import { isSilence } from './process-report.ts';

/** How a call to a peer ended. */
export type CallAnswer = { readonly kind: string; readonly reason?: unknown };

export type ObserveCall = (operation: string, answer: CallAnswer, seconds: number) => void;

/** Why each peer gave no answer the last time, as it was noted. */
export class LastSilences {
  readonly #reasons = new Map<string, string>();

  note(peer: string, { kind, reason }: CallAnswer): void {
    if (isSilence(kind)) this.#reasons.set(peer, typeof reason === 'string' ? reason : kind);
  }

  reasonOf(peer: string): string | null {
    return this.#reasons.get(peer) ?? null;
  }
}
