import { changeStanding } from '../merchants/change-merchant.ts';
import type { Standing } from '../merchants/merchant.ts';
import { type Command, MERCHANT_OPTION, reasonOption } from './command.ts';
import { refusedByOperator } from './refusals.ts';

export const STANDING_COMMANDS: readonly Command[] = [
  standingCommand(
    ['merchant', 'disable'],
    'lock a merchant out: no login, its tokens end within two seconds',
    {
      standing: 'disabled',
      isOn: true,
      says: 'is locked out; what is under way, billings and webhooks go on',
    },
  ),
  standingCommand(['merchant', 'enable'], 'let a merchant in again, with the credentials that it has', {
    standing: 'disabled',
    isOn: false,
    says: 'may log in again',
  }),
  standingCommand(['billing', 'hold'], 'charge no due billing of a merchant until it is released', {
    standing: 'billingsHeld',
    isOn: true,
    says: 'has its due billings held; those that are with the acquirer end',
  }),
  standingCommand(['billing', 'release'], 'go on charging the due billings of a merchant, the oldest first', {
    standing: 'billingsHeld',
    isOn: false,
    says: 'has its billings held no longer: what is due is charged, the oldest first',
  }),
];

function standingCommand(
  words: readonly [string, string],
  summary: string,
  { says, ...change }: { readonly standing: Standing; readonly isOn: boolean; readonly says: string },
): Command {
  return {
    words,
    summary,
    options: [MERCHANT_OPTION, reasonOption('for the audit log')],
    opens: 'audited',
    async run(given, tools) {
      const reason = given.one('reason') ?? '';
      const changed = await changeStanding(tools, given.one('merchant') ?? '', { ...change, reason });
      if ('refusal' in changed) return refusedByOperator(changed);
      const { merchantId, isDisabled, hasBillingsHeld } = changed;
      return {
        lines: [`Merchant ${merchantId} ${says}.`],
        json: { merchantId, isDisabled, hasBillingsHeld },
      };
    },
  };
}
