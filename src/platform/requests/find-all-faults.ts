import type { Caller, Fault, ServedEndpoint } from '../http/endpoint.ts';
import type { RequestReading } from './request-reader.ts';

/**
 * All faults of a malformed request: those of its shape, and those that a look-up of its sound
 * fields finds.
 */
export async function findAllFaults(
  { lookBeside }: Pick<ServedEndpoint, 'lookBeside'>,
  reading: RequestReading,
  caller: Caller | null,
): Promise<readonly Fault[]> {
  if (reading.ok) return [];
  const { soundBody, faults } = reading;
  const canLook = typeof soundBody === 'object' && soundBody !== null;
  if (lookBeside === undefined || caller === null || !canLook) return faults;
  try {
    return reading.faultsWith(await lookBeside(soundBody, caller));
  } catch {
    // It is malformed whatever the database says: the known faults are reported.
    return faults;
  }
}
