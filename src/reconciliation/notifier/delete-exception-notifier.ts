import type { MerchantActor } from '../../audit/merchant-event.ts';
import { findExceptionNotifier } from './exception-notifiers.sql.ts';
import type { ChangeNotifierTools } from './register-exception-notifier.ts';

/**
 * Ends the notifications of an account; what waits is still sent. Gives the address, or null when there
 * was none.
 */
export async function deleteExceptionNotifier(
  { lookUp, writeNotifierChange }: Pick<ChangeNotifierTools, 'lookUp' | 'writeNotifierChange'>,
  actor: MerchantActor,
  accountNumber: string,
  deadlineAt: number,
): Promise<string | null> {
  const { merchantId } = actor;
  const found = await lookUp(merchantId, (database) =>
    findExceptionNotifier(database, merchantId, accountNumber),
  );
  if (found === null || found === 'none') return null;
  await writeNotifierChange({ actor, accountNumber, target: null }, deadlineAt);
  return found.callbackUrl;
}
