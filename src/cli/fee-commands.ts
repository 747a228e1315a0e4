import { existsSync, readFileSync } from 'node:fs';
import { readClockOfDatabase } from '../platform/database-time.sql.ts';
import { changeFees, type FeeChange } from '../transactions/fees/change-fees.ts';
import { ALL_MERCHANTS, FEE_REFUSALS } from '../transactions/fees/fee-table.ts';
import { listFeeVersions } from '../transactions/fees/fee-tables.sql.ts';
import { instant, saoPauloText } from '../values/instant.ts';
import { type Command, type CommandOutcome, option, table } from './command.ts';
import { merchantUnknown, spokenText } from './refusals.ts';

const LARGEST_FILE_CHARACTERS = 10_000;

export const FEE_COMMANDS: readonly Command[] = [
  {
    words: ['fees', 'set'],
    summary: 'put a version of the fees beside the others: sales from its moment on are charged at it',
    operand: {
      name: 'FILE-or-TEXT',
      description:
        'rules such as visa:1=2.49@30, any:2-12=3.10@31/30; with --merchant, empty: the fees of all',
      check: (value) =>
        rulesIn(value).length <= LARGEST_FILE_CHARACTERS ? null : 'holds more than 10,000 characters',
    },
    options: [
      option(
        '--from DAY',
        'a day in São Paulo, as 2026-12-01, after the last sale and not over; default, and of today: in ten seconds',
      ),
      option('--merchant ID', 'its fees alone; default: of all that have none of their own'),
    ],
    opens: 'audited',
    async run(given, tools) {
      const now = instant(Math.floor(await readClockOfDatabase(tools.database)));
      const changed = await changeFees(
        { ...tools, now },
        {
          rules: rulesIn(given.one('FILE-or-TEXT') ?? ''),
          from: given.one('from'),
          merchantId: given.one('merchant'),
        },
      );
      if (changed.kind === 'refused') return refused(changed);
      const { merchantId, rules } = changed.version;
      const validFrom = saoPauloText(changed.version.validFrom);
      const whose = merchantId === ALL_MERCHANTS ? 'all merchants' : merchantId;
      return {
        lines: [`Fees of ${whose} from ${validFrom} on: ${rules === '' ? 'none of its own' : rules}`],
        json: { merchantId: merchantId === ALL_MERCHANTS ? null : merchantId, validFrom, rules },
      };
    },
  },
  {
    words: ['fees', 'list'],
    summary: 'show the versions of the fees, oldest first',
    options: [option('--merchant ID', 'its own versions and those of all; default: every one')],
    opens: 'database',
    async run(given, { database }) {
      const merchant = given.one('merchant');
      const versions = await listFeeVersions(database, null);
      const items = versions
        .filter(
          ({ merchantId }) => merchant === null || merchantId === merchant || merchantId === ALL_MERCHANTS,
        )
        .map(({ merchantId, validFrom, rules, source, createdBy }) => ({
          merchantId: merchantId === ALL_MERCHANTS ? null : merchantId,
          validFrom: saoPauloText(validFrom),
          rules,
          source: source === 'setting' ? 'PARCELA_FEES' : createdBy,
        }));
      const rows = items.map(({ merchantId, validFrom, rules, source }) => [
        merchantId ?? 'all',
        validFrom,
        source,
        rules === '' ? '(none)' : rules,
      ]);
      return { lines: table(['MERCHANT', 'FROM', 'SET BY', 'RULES'], rows), json: { items } };
    },
  },
];

function rulesIn(operand: string): string {
  const text = existsSync(operand) ? readFileSync(operand, 'utf8') : operand;
  return text
    .split(/\s*[,\n]\s*/)
    .map((rule) => rule.trim())
    .filter(Boolean)
    .join(', ');
}

function refused({ refusal, value }: Extract<FeeChange, { kind: 'refused' }>): CommandOutcome {
  if (refusal === 'merchantUnknown') return merchantUnknown(value);
  const option = refusal === 'rulesMalformed' ? 'FILE-or-TEXT' : '--from';
  return { option, message: `${option}: ${spokenText(FEE_REFUSALS[refusal], value)}` };
}
