/**
 * Preloaded into a service (`NODE_OPTIONS=--import`): its wall clock is `FAULTS_CLOCK_MILLISECONDS` ahead
 * of the machine's, or behind it. Monotonic time and timers stay as they are, as on a machine whose clock
 * is wrong.
 */
const shift = Number(process.env.FAULTS_CLOCK_MILLISECONDS);
const Real = Date;
const realNow = Real.now.bind(Real);
const now = () => realNow() + shift;

class ShiftedDate extends Real {
  constructor(...given: unknown[]) {
    if (given.length === 0) super(now());
    else super(...(given as [number]));
  }

  static override now(): number {
    return now();
  }
}

// `Date()` without new is a text, which a class cannot give: nobody here asks for it.
globalThis.Date = ShiftedDate as DateConstructor;
