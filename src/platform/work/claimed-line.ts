import type { BusyPlace } from './under-way.ts';

/** `isProbe`: the one that finds out whether its target is back. */
export type Claimed = BusyPlace & { readonly isProbe: boolean };

/** What was claimed and waits for a slot of this process. */
export type ClaimedLine<Delivery extends Claimed> = {
  length(): number;
  /** Where each of them goes. */
  places(): readonly BusyPlace[];
  /** Behind those that wait. `until`: the moment of `performance.now` after which it is not sent any more. */
  add(delivery: Delivery, until: number): void;
  /** First come, first served, but for those whose target or merchant has no slot free. Gives those that are not to be sent. */
  serve(counter: Counter<Delivery>): Delivery[];
  /** All of them: none waits any more. */
  empty(): Delivery[];
};

export type Counter<Delivery extends Claimed> = {
  readonly now: number;
  /** Asked again after each that begins. */
  readonly hasSlot: () => boolean;
  readonly hasSlotOfMerchant: (delivery: Delivery) => boolean;
  readonly hasSlotOfEndpoint: (delivery: Delivery) => boolean;
  readonly begin: (delivery: Delivery) => void;
};

type InLine<Delivery extends Claimed> = {
  readonly delivery: Delivery;
  readonly endpointKey: string;
  readonly until: number;
  /** What it was claimed in spite of, since the database knew better, is no reason to hand it back. */
  readonly wasTroubled: boolean;
};

/**
 * A claim that takes many costs little more than one that takes few, so a process takes more than it has slots for. They are sent
 * soon, or handed back: when their target fails meanwhile, or they have waited so long that a try might outlive the lease.
 */
export function openClaimedLine<Delivery extends Claimed>(
  isTroubled: (delivery: Delivery) => boolean,
): ClaimedLine<Delivery> {
  let line: InLine<Delivery>[] = [];
  return {
    length: () => line.length,
    places: () => line.map(({ delivery }) => delivery),
    add(delivery, until) {
      const endpointKey = `${delivery.merchantId}\n${delivery.endpoint}`;
      const inLine = { delivery, endpointKey, until, wasTroubled: isTroubled(delivery) };
      // Nobody else may probe that target meanwhile.
      if (delivery.isProbe) line.unshift(inLine);
      else line.push(inLine);
    },
    serve(counter) {
      const kept: InLine<Delivery>[] = [];
      const unsent: Delivery[] = [];
      const fullMerchants = new Set<string>();
      const fullEndpoints = new Set<string>();
      let looked = 0;
      for (; looked < line.length && counter.hasSlot(); looked += 1) {
        const inLine = line[looked] as InLine<Delivery>;
        const { delivery, endpointKey } = inLine;
        if (fullMerchants.has(delivery.merchantId) || fullEndpoints.has(endpointKey)) kept.push(inLine);
        else if (inLine.until <= counter.now || (!inLine.wasTroubled && isTroubled(delivery)))
          unsent.push(delivery);
        else if (!counter.hasSlotOfMerchant(delivery)) {
          fullMerchants.add(delivery.merchantId);
          kept.push(inLine);
        } else if (!counter.hasSlotOfEndpoint(delivery)) {
          fullEndpoints.add(endpointKey);
          kept.push(inLine);
        } else counter.begin(delivery);
      }
      if (looked > kept.length) line = [...kept, ...line.slice(looked)];
      return unsent;
    },
    empty() {
      const all = line.map(({ delivery }) => delivery);
      line = [];
      return all;
    },
  };
}
