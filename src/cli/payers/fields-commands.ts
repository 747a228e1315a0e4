import { findMerchant, readBusinessClock } from '../../merchants/merchants.sql.ts';
import { findCardFields, putCardFields } from '../../payments/fields/card-fields.sql.ts';
import { type CardFields, MOST_ORIGINS, originsFault } from '../../payments/fields/card-fields.ts';
import { type GET_FIELDS, ORIGIN_FAULTS, writeFields } from '../../payments/fields/contract.ts';
import { newPageKey } from '../../platform/chance.ts';
import type { AnswerOf } from '../../platform/http/endpoint.ts';
import { type Command, type CommandOutcome, type CommandTools, MERCHANT_OPTION, option } from '../command.ts';
import { merchantUnknown } from '../refusals.ts';

export const FIELDS_COMMANDS: readonly Command[] = [
  {
    words: ['fields', 'set'],
    summary: 'say on which pages a merchant’s card fields may stand; the list is replaced',
    options: [
      MERCHANT_OPTION,
      option('--origin ORIGIN', 'of such pages, as https://loja.com.br; none: they stand nowhere', {
        isRepeatable: true,
      }),
    ],
    opens: 'audited',
    async run(given, tools) {
      const merchantId = given.one('merchant') ?? '';
      const origins = [...new Set(given.many('origin'))];
      if (origins.length > MOST_ORIGINS)
        return { option: '--origin', message: `--origin: at most ${MOST_ORIGINS}` };
      const takesHttp = tools.environment === 'homologation';
      const fault = originsFault(origins, { takesHttp, ours: tools.pagesOrigin });
      if (fault !== null)
        return { option: '--origin', message: `--origin: ${ORIGIN_FAULTS[fault].sentence.en}` };
      if ((await findMerchant(tools.database, merchantId)) === null) return merchantUnknown(merchantId);
      const { actor: userName, origin: address } = tools.operator;
      const now = (await readBusinessClock(tools.database)).now(merchantId);
      const wanted = { merchantId, pageKey: newPageKey(), origins };
      return shown(await putCardFields(tools.audit, wanted, { merchantId, userName, address }, now), tools);
    },
  },
  {
    words: ['fields', 'show'],
    summary: 'show on which pages a merchant’s card fields may stand',
    options: [MERCHANT_OPTION],
    opens: 'database',
    async run(given, tools) {
      const merchantId = given.one('merchant') ?? '';
      if ((await findMerchant(tools.database, merchantId)) === null) return merchantUnknown(merchantId);
      const found = await findCardFields(tools.database, merchantId);
      if (found === null) return { lines: ['It has no card fields.'], json: null };
      return shown(found, tools);
    },
  },
];

/** Shows the fields, with the markup that the merchant pastes into the page. */
function shown(fields: CardFields, { cell, pagesOrigin }: CommandTools): CommandOutcome {
  const one = writeFields(fields, pagesOrigin, cell) as AnswerOf<typeof GET_FIELDS>;
  const script = pagesOrigin === null ? `https://ADDRESS-OF-PARCELA${one.script}` : one.script;
  return {
    lines: [
      `key      ${one.key}`,
      ...one.origins.map((origin) => `origin   ${origin}`),
      one.origins.length > 0 && ['', ...pageTag(script, one.key)],
    ],
    json: one,
  };
}

const pageTag = (script: string, key: string) => [
  'For the page, where the card is asked for:',
  '',
  '<div id="card"></div>',
  '<script type="module">',
  `import { mountFields } from '${script}';`,
  `const fields = await mountFields('#card', { key: '${key}' });`,
  '// When the buyer pays, send this to your server: const card = await fields.card();',
  '</script>',
];
