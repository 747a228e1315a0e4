import { ARCHIVE_COMMAND } from './archive-command.ts';
import { AUDIT_COMMANDS } from './audit-commands.ts';
import { BOLETO_COMMANDS } from './boleto-commands.ts';
import type { Command } from './command.ts';
import { DOCTOR_COMMAND } from './doctor/doctor-command.ts';
import { FEE_COMMANDS } from './fee-commands.ts';
import { KEY_COMMANDS } from './keys/key-commands.ts';
import { MERCHANT_COMMANDS } from './merchant-commands.ts';
import { MIGRATE_COMMAND } from './migrate-command.ts';
import { PAYMENT_COMMANDS } from './payment-commands.ts';
import { PRIVACY_COMMANDS } from './privacy/privacy-commands.ts';
import { RECONCILE_COMMANDS } from './reconcile-commands.ts';
import { RESOLVE_COMMANDS } from './resolve-commands.ts';
import { RESTORE_COMMANDS } from './restore/restore-commands.ts';
import { STANDING_COMMANDS } from './standing-commands.ts';
import { TOKEN_COMMANDS } from './token-commands.ts';
import { USER_COMMANDS } from './users/user-commands.ts';
import { WEBHOOK_COMMANDS } from './webhook-commands.ts';

/** Every command of the operator; the help is printed from here. */
export const COMMANDS: readonly Command[] = [
  MIGRATE_COMMAND,
  DOCTOR_COMMAND,
  ...MERCHANT_COMMANDS,
  ...STANDING_COMMANDS,
  ...TOKEN_COMMANDS,
  ...USER_COMMANDS,
  ...PAYMENT_COMMANDS,
  ...WEBHOOK_COMMANDS,
  ...FEE_COMMANDS,
  ...RESOLVE_COMMANDS,
  ...BOLETO_COMMANDS,
  ...RECONCILE_COMMANDS,
  ...RESTORE_COMMANDS,
  ...PRIVACY_COMMANDS,
  ...AUDIT_COMMANDS,
  ARCHIVE_COMMAND,
  ...KEY_COMMANDS,
];
