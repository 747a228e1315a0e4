import { patiently } from '../../test/kit/patience.ts';
import type { ChaosBench, Shop } from '../chaos-bench.ts';
import type { Gateway } from '../gateways.ts';
import type { Answered, CancelEntry, Entry } from '../log.ts';
import { type CardSource, Till } from '../merchant-client.ts';
import { wait } from '../operations/operation.ts';

const PATIENCE_MILLISECONDS = 30_000;
const PAUSE_MILLISECONDS = 1_000;

/**
 * Sends again what was answered 503 with `Retry-After`, as the documents ask of merchants: nothing was done.
 * A machine that is busy with other things answers so now and then.
 */
export class PatientTill extends Till {
  /** How often a merchant was asked to come again. */
  putOff = 0;
  readonly #to: () => Gateway;

  /** `to`: a process that serves at that moment. */
  constructor(bench: ChaosBench, to: () => Gateway) {
    super(bench);
    this.#to = to;
  }

  override async cardToken(shop: Shop, first: Gateway): Promise<string> {
    const endsAt = performance.now() + patiently(PATIENCE_MILLISECONDS);
    for (let at = first; ; at = this.#to()) {
      try {
        return await super.cardToken(shop, at);
      } catch (error) {
        if (!/ was answered 503/.test(String(error)) || performance.now() > endsAt) throw error;
        this.putOff += 1;
        await wait(PAUSE_MILLISECONDS);
      }
    }
  }

  override send(gateway: Gateway, entry: Entry, shop: Shop, cardSource: CardSource): Promise<Answered> {
    return this.#untilTaken(gateway, (at) => super.send(at, entry, shop, cardSource));
  }

  override sendCancel(gateway: Gateway, entry: CancelEntry): Promise<Answered> {
    return this.#untilTaken(gateway, (at) => super.sendCancel(at, entry));
  }

  async #untilTaken(first: Gateway, send: (at: Gateway) => Promise<Answered>): Promise<Answered> {
    const endsAt = performance.now() + patiently(PATIENCE_MILLISECONDS);
    for (let at = first; ; at = this.#to()) {
      const answered = await send(at);
      const { status, retryAfterSeconds: seconds } = answered;
      if (status !== 503 || seconds === undefined || performance.now() > endsAt) return answered;
      this.putOff += 1;
      await wait(seconds * 1_000);
    }
  }
}
