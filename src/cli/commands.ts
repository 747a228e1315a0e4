import type { Command } from './command.ts';
import { MERCHANT_COMMANDS } from './merchant-commands.ts';

/** Every command of the operator; the help is printed from here. */
export const COMMANDS: readonly Command[] = [...MERCHANT_COMMANDS];
