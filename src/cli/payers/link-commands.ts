import type { Actor, AuditAction, AuditEvent } from '../../audit/audit-event.ts';
import { findMerchant, readBusinessClock } from '../../merchants/merchants.sql.ts';
import {
  CREATE_LINK,
  type GET_LINK,
  LINK_STATUS_WORDS,
  linkPagesAt,
  readWantedLink,
  writeLink,
} from '../../payments/links/contract.ts';
import { createLink } from '../../payments/links/create-link.ts';
import { LINK_REFUSALS } from '../../payments/links/endpoints.ts';
import { type Link, type LinkKey, seenOutcome } from '../../payments/links/link.ts';
import {
  disableLinkRow,
  findLink,
  insertLink,
  listLinkPage,
  type NewLink,
} from '../../payments/links/links.sql.ts';
import { asItsBill } from '../../payments/links/pay-link-by-bill.ts';
import type { AnswerOf } from '../../platform/http/endpoint.ts';
import { requestReader } from '../../platform/requests/request-reader.ts';
import { LIFE_REFUSALS, lifeRefusal } from '../../transactions/payers/page-life.ts';
import { reaisText } from '../../values/cents.ts';
import { readExactJson } from '../../values/exact-json.ts';
import { isUuid } from '../../values/ids.ts';
import type { Instant } from '../../values/instant.ts';
import {
  type Command,
  type CommandOption,
  type CommandOutcome,
  type CommandTools,
  type GivenOptions,
  MERCHANT_OPTION,
  option,
  reasonOption,
  required,
  table,
  visible,
} from '../command.ts';
import { accountUnknown, merchantUnknown } from '../refusals.ts';

const SHOWN = 100;

const LINK_OPTION = required('--link ID', 'its id', {
  check: (value) => (isUuid(value) ? null : 'must be an id such as the API gives'),
});

/** The fields of the request that creates a link, with their options. The rules of the API read them. */
const FIELDS: Readonly<Record<string, CommandOption>> = {
  description: required('--description TEXT', 'what is paid'),
  value: required('--value REAIS', 'such as 129.90'),
  qttyInstallments: option('--installments N', 'at most; default: 1'),
  expirationDate: option('--until DAY', 'the last day, as 2027-01-31; default: 30 days'),
  urlCallBack: option('--callback URL', 'https, public: where the result is posted'),
  urlReturn: option('--return URL', 'https, public: where the page leads back to'),
  referenceTransaction: option('--reference TEXT', 'the merchant’s own'),
};
const NUMBERS = ['value', 'qttyInstallments'];

export const LINK_COMMANDS: readonly Command[] = [
  {
    words: ['link', 'create'],
    summary: 'make a page where a buyer of a merchant pays once',
    options: [
      MERCHANT_OPTION,
      ...Object.values(FIELDS),
      option('--account NUMBER', 'default: the merchant’s first account'),
    ],
    opens: 'audited',
    async run(given, tools) {
      const { database, keyring, audit, operator } = tools;
      const read = readBody(given);
      if (!read.ok) return refused(read.faults[0]?.tag ?? '', read.faults[0]?.sentence.en ?? '');
      const merchantId = given.one('merchant') ?? '';
      const merchant = await findMerchant(database, merchantId);
      if (merchant === null) return merchantUnknown(merchantId);
      const accountNumber = given.one('account') ?? merchant.accountNumbers[0] ?? '';
      if (!merchant.accountNumbers.includes(accountNumber)) return accountUnknown(accountNumber);
      const creating = {
        database,
        keyring,
        clock: await readBusinessClock(database),
        findRequest: () => Promise.reject(new Error('a request without a key is not looked up')),
        writeLink: (row: NewLink) =>
          audit.transaction((tx) => {
            tx.record(eventOf(operator, 'link.create', row.link));
            return insertLink(tx, row);
          }),
      };
      const body = read.body as Parameters<typeof readWantedLink>[0];
      const readTerms = (now: Instant) => lifeRefusal(body.expirationDate, now) ?? readWantedLink(body, now);
      const seller = {
        merchantId,
        accountNumber,
        userName: operator.actor,
        softDescriptor: merchant.softDescriptor,
      };
      const once = await createLink(
        creating,
        seller,
        readTerms,
        { idempotency: null, body },
        Number.POSITIVE_INFINITY,
      );
      if (once.kind !== 'first') throw new Error('a request without a key is the first');
      const made = once.result;
      if (typeof made === 'string') return refused('expirationDate', LIFE_REFUSALS[made].sentence.en);
      return shown(made, tools, creating.clock.now(merchantId));
    },
  },
  {
    words: ['link', 'list'],
    summary: `show the newest ${SHOWN} payment links of a merchant`,
    options: [MERCHANT_OPTION],
    opens: 'database',
    async run(given, tools) {
      const { database } = tools;
      const merchantId = given.one('merchant') ?? '';
      if ((await findMerchant(database, merchantId)) === null) return merchantUnknown(merchantId);
      const now = (await readBusinessClock(database)).now(merchantId);
      const wanted = { page: 1, limit: SHOWN, order: { field: 'createdDate', isDescending: true } } as const;
      const { items } = await listLinkPage(database, merchantId, null, now, wanted);
      const written = items.map((one) => writtenLink(one, tools, now));
      const rows = items.map((one, at) => [
        one.linkId,
        written[at]?.status ?? '',
        reaisText(one.amount),
        visible(one.description),
      ]);
      const lines =
        rows.length === 0 ? ['It has no links.'] : table(['LINK', 'STATUS', 'REAIS', 'FOR'], rows);
      return { lines, json: { items: written } };
    },
  },
  {
    words: ['link', 'show'],
    summary: 'show a payment link',
    options: [MERCHANT_OPTION, LINK_OPTION],
    opens: 'database',
    async run(given, tools) {
      const { merchantId, linkId } = keyOf(given);
      const link = await findLink(tools.database, { merchantId, linkId });
      if (link === null) return NO_LINK;
      return shown(link, tools, (await readBusinessClock(tools.database)).now(merchantId));
    },
  },
  {
    words: ['link', 'disable'],
    summary: 'end a payment link that nobody is paying',
    options: [MERCHANT_OPTION, LINK_OPTION, reasonOption('kept with the link')],
    opens: 'audited',
    /** What a bank must be asked about is left to the service, which can ask it. */
    async run(given, tools) {
      const { database, audit, operator } = tools;
      const key = keyOf(given);
      const disabled = await audit.transaction(async (tx) => {
        const link = await disableLinkRow(tx, key, given.one('reason') ?? '');
        if (link !== null) tx.record(eventOf(operator, 'link.disable', key));
        return link;
      });
      const link = disabled ?? (await findLink(database, key));
      if (link === null) return NO_LINK;
      if (link.state !== 'disabled') return { option: '--link', message: WHY_NOT[link.state] };
      return shown(link, tools, (await readBusinessClock(database)).now(key.merchantId));
    },
  },
];

const readRequest = requestReader(CREATE_LINK);

/** A number is written as it was typed. */
function readBody(given: GivenOptions) {
  const members = Object.entries(FIELDS).flatMap(([field, { name }]) => {
    const text = given.one(name);
    if (text === null) return [];
    const isNumber = NUMBERS.includes(field) && /^(0|[1-9]\d*)(\.\d+)?$/.test(text);
    return [`${JSON.stringify(field)}:${isNumber ? text : JSON.stringify(text)}`];
  });
  return readRequest(Buffer.from(`{${members.join()}}`), {}, null, readExactJson);
}

function refused(tag: string, sentence: string): CommandOutcome {
  const option = `--${FIELDS[tag]?.name ?? tag}`;
  return { option, message: `${option}: ${sentence}` };
}

const eventOf = (operator: Actor, action: AuditAction, { merchantId, linkId }: LinkKey): AuditEvent => ({
  ...operator,
  action,
  outcome: 'success',
  resource: `merchants/${merchantId}/links/${linkId}`,
});

const WHY_NOT: Readonly<Record<'open' | 'paying' | 'paid', string>> = {
  open: '--link: it was being paid a moment ago, or money came for it: see link show, and try again',
  paying:
    '--link: it is being paid. The console and POST /v1/paymentlink/disable have the bank take its Pix or boleto away first',
  paid: `--link: ${LINK_REFUSALS.paid.sentence.en}`,
};

const NO_LINK: CommandOutcome = { option: '--link', message: '--link: the merchant has no such link' };

const keyOf = (given: GivenOptions) => ({
  merchantId: given.one('merchant') ?? '',
  linkId: (given.one('link') ?? '').toLowerCase(),
});

type Written = AnswerOf<typeof GET_LINK>;

const writtenLink = (link: Link, { pagesOrigin, cell }: CommandTools, now: Instant) =>
  writeLink(asItsBill(link, { outcome: seenOutcome(link) }), linkPagesAt(pagesOrigin, cell), now) as Written;

function shown(link: Link, tools: CommandTools, now: Instant): CommandOutcome {
  const one = writtenLink(link, tools, now);
  const lines = [
    `link       ${one.id}`,
    `page       ${one.url}${tools.pagesOrigin === null ? '  (behind the address of the service)' : ''}`,
    `status     ${one.status}${one.status === LINK_STATUS_WORDS.paid ? ` by ${one.paymentId}` : ''}`,
    link.receivedAmount > 0 &&
      `received   ${reaisText(link.receivedAmount)} by Pix or boleto${link.receivedId === null ? '' : `, enough with ${link.receivedId}`}`,
    link.state === 'paying' &&
      link.removals > 0 &&
      `kept       the bank was asked ${link.removals} times to take away a Pix or boleto beside that money`,
    one.method !== null && `method     ${one.method}`,
    `value      ${reaisText(link.amount)}, in up to ${one.qttyInstallments}`,
    `for        ${visible(one.description)}`,
    `until      ${one.expirationDate}`,
    one.reason !== null && `disabled   ${visible(one.reason)}`,
  ];
  return { lines, json: one };
}
