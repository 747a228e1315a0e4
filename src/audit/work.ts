import type { Work } from '../platform/work/due-work.ts';
import { alsoWhileHeld, everySoOften } from '../platform/work/every-so-often.ts';
import { openTailCheck, type TailLook } from './open-tail-check.ts';
import type { VerifyTools } from './verify-audit.ts';

const CHECK_MILLISECONDS = 60_000;

/** What was written since is verified once a minute. */
export function checkingAudit(tools: VerifyTools, observe: (look: TailLook) => void): Work {
  const look = openTailCheck(tools);
  return alsoWhileHeld(everySoOften('checkAuditTail', CHECK_MILLISECONDS, async () => observe(await look())));
}
