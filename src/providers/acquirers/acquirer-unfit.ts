/** This environment must not charge through the acquirer. */
export class AcquirerUnfit extends Error {
  override readonly name = 'AcquirerUnfit';
}
