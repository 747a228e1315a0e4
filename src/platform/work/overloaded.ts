/**
 * Too many wait already, no turn came in time, or others held what a row needs: answer 503. Nothing
 * was begun,
 * or nothing was written.
 */
export class Overloaded extends Error {
  override readonly name = 'Overloaded';
}
