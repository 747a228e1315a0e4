import { behindAnswer, isHeard } from '../../../platform/channels/unclear.ts';
import type { FoundCharge, VoidAnswer } from '../../../providers/acquirers/acquirer.ts';

/**
 * What a void tells of its acquirer behind a look-up of the charge. `isLook`: no more than that look-up did,
 * because it found nothing to send, or could not say.
 */
export function behindLook(
  found: FoundCharge,
  voided: VoidAnswer,
): { readonly answer: VoidAnswer; readonly isLook: boolean } {
  const isLook =
    voided.kind === 'notFound' ||
    voided.kind === 'declined' ||
    (voided.kind === 'voided' && voided.charges === 0) ||
    (voided.kind === 'unknown' && found.kind === 'unknown');
  return { answer: isHeard(found) ? behindAnswer(voided) : voided, isLook };
}
