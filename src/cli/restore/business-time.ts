import { loadHomologation } from '../../app/homologation.ts';
import { type Instant, instant } from '../../values/instant.ts';
import type { CommandTools } from '../command.ts';

/** The business time of a merchant, whose clock homologation may have moved. */
export async function businessTime(
  { database, environment }: Pick<CommandTools, 'database' | 'environment'>,
  merchantId: string,
): Promise<Instant> {
  if (environment === 'production') return instant(Date.now());
  const { findClock } = await loadHomologation(environment);
  return instant(Date.now() + ((await findClock(database, merchantId))?.shiftMilliseconds ?? 0));
}
