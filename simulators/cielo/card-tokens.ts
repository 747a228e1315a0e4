import { randomUUID } from 'node:crypto';

/** A card that a merchant keeps here, as it was sent, without its security code. */
export type KeptCard = {
  readonly merchantId: string;
  readonly number: string;
  readonly holder: string;
  /** `MM/YYYY` */
  readonly expiration: string;
  readonly brand: string;
};

const MOST_CARDS = 10_000;

/** In memory only: the ledger has no card's number, and a restart forgets them. */
export class CardTokens {
  readonly #cards = new Map<string, KeptCard>();

  keep(card: KeptCard): string {
    if (this.#cards.size >= MOST_CARDS) for (const oldest of this.#cards.keys()) this.#forgetOne(oldest);
    const token = randomUUID();
    this.#cards.set(token, card);
    return token;
  }

  card(merchantId: string, token: string): KeptCard | null {
    const card = this.#cards.get(token);
    return card?.merchantId === merchantId ? card : null;
  }

  #forgetOne(token: string): void {
    if (this.#cards.size >= MOST_CARDS) this.#cards.delete(token);
  }
}
