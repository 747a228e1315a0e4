/** Answered 503: too many wait, no turn came in time, or a row was locked. Nothing was begun or written. */
export class Overloaded extends Error {
  override readonly name = 'Overloaded';
}
