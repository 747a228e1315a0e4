import { DueLine } from '../kit/due-line.ts';
import type { Charge } from './books.ts';
import { nextOfCharge } from './charge-due.ts';
import type { Waiting } from './recurrence.ts';
import { type Next, nextOf } from './recurrence-due.ts';

type Thing = Waiting | { readonly charge: Charge };

/** What happens by itself to the things of a receiver. */
export class DueThings {
  /** What was overtaken is found out when it is first. */
  readonly #line = new DueLine<Thing>();

  /** To be told whenever the thing has changed. */
  wait(name: string, item: Thing): void {
    const next = nextOfThing(item);
    if (next !== null) this.#line.push({ at: next.at, name, item });
  }

  /** The earliest up to the instant; null: nothing happens. */
  next(until: number): Next | null {
    const line = this.#line;
    while (line.first !== undefined && line.first.at <= until) {
      const next = nextOfThing(line.first.item);
      if (next?.at === line.first.at) return next;
      line.pop();
    }
    return null;
  }
}

function nextOfThing(thing: Thing): Next | null {
  return 'charge' in thing ? nextOfCharge(thing.charge) : nextOf(thing);
}
