import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import type { AuditDetail } from '../../audit/audit-event.ts';
import { openCardKeys } from '../../cards/pairs/open-card-keys.ts';
import { findMerchant, readBusinessClock } from '../../merchants/merchants.sql.ts';
import type { Lines } from '../../platform/lines.ts';
import { batchWrites } from '../../platform/postgres/batched-writes.ts';
import { leadsOf } from '../../recurrence/plans/banks-of-merchant.ts';
import { plansWrite } from '../../recurrence/plans/plan-changes.sql.ts';
import { newSubscriptionsWrite } from '../../recurrence/subscriptions/subscription-creation.sql.ts';
import { endpointChangesWrite } from '../../webhooks/endpoints/registrations.sql.ts';
import { openUrlRules } from '../../webhooks/posting/open-url-rules.ts';
import {
  type Command,
  MERCHANT_OPTION,
  option,
  reaisOf,
  reasonOption,
  required,
  table,
  visible,
} from '../command.ts';
import { isFile } from '../option-files.ts';
import { merchantUnknown } from '../refusals.ts';
import { withPixBanks } from '../restore/pix-banks-of-command.ts';
import { exportFile, readReceiverKey, WHY_LEFT_OUT } from './export-file.ts';
import { type Counts, type ImportReport, importFile } from './import-file.ts';
import { linesOf as linesOfFile } from './lines-of-file.ts';
import { isOfMerchant, ROW_KINDS } from './moving-row.ts';

/** How old an encrypted card may be: a file is encrypted, brought here and tried before it is taken. */
const MOVING_LIFETIME_MILLISECONDS = 30 * 24 * 60 * 60 * 1_000;

export const MOVING_COMMANDS: readonly Command[] = [
  {
    words: ['import'],
    summary:
      'take a merchant, its webhooks, plans, encrypted cards and subscriptions of another gateway, each once',
    operand: { name: 'FILE', description: 'JSON lines (docs/moving-in.md)' },
    switches: [{ name: 'dry-run', description: 'say what would be taken, and write nothing' }],
    options: [MERCHANT_OPTION],
    opens: 'audited',
    async run(given, tools) {
      const { database, keyring, audit, operator, report } = tools;
      const path = given.one('FILE') ?? '';
      if (!(await isFile(path))) return { option: 'FILE', message: `${visible(path)} is no file` };
      const merchantId = given.one('merchant') ?? '';
      const merchant = await findMerchant(database, merchantId);
      if (merchant === null && !(await beginsWithMerchant(path))) return merchantUnknown(merchantId);
      const isTrial = given.has('dry-run');
      const record = (detail: AuditDetail) =>
        audit.record({
          ...{ ...operator, action: 'merchant.import', outcome: 'success', detail },
          resource: `merchants/${merchantId}/import`,
        });
      const clock = await readBusinessClock(database);
      const leads = await withPixBanks(tools, async (banks) => leadsOf(banks, merchantId));
      // Audited before anything is written: the command may be killed.
      if (!isTrial) await record({ file: basename(path) });
      const imported = await importFile(
        {
          ...{ database, audit, keyring, report, isTrial, leads },
          actor: { merchantId, userName: operator.actor, address: operator.origin },
          operator,
          accountNumber: merchant?.accountNumbers[0] ?? null,
          registry: {
            ...{ keyring, clock, urlRules: openUrlRules(tools.urlSettings), notify() {} },
            registrationLimit: { secondsToWait: () => 0 },
            changeEndpoint: batchWrites(endpointChangesWrite(audit)),
          },
          cardKeys: await openCardKeys(database, keyring, true, MOVING_LIFETIME_MILLISECONDS),
          clock,
          writePlan: batchWrites(plansWrite(audit)),
          writeSubscription: batchWrites(newSubscriptionsWrite(database)),
        },
        path,
      );
      if (!isTrial)
        await record(Object.fromEntries(ROW_KINDS.map((kind) => [kind, String(imported[kind].taken)])));
      const refused = imported.unread + ROW_KINDS.reduce((sum, kind) => sum + imported[kind].refused, 0);
      return { isBad: refused > 0, lines: linesOf(imported, isTrial), json: { isTrial, ...imported } };
    },
  },
  {
    words: ['export'],
    summary:
      'write a merchant, its webhooks, plans, cards (encrypted) and active subscriptions for another gateway',
    options: [
      MERCHANT_OPTION,
      required('--to FILE', 'a new file'),
      required('--public-key FILE', 'RSA key of who takes the cards: SPKI, as PEM or base64'),
      option('--receiver ID', 'merchantId there; default: the same'),
      reasonOption('why the cards leave'),
    ],
    opens: 'audited',
    async run(given, tools) {
      const { database, keyring, audit, operator } = tools;
      const [merchantId, path, keyPath] = [
        given.one('merchant'),
        given.one('to'),
        given.one('public-key'),
      ].map((value) => value ?? '') as [string, string, string];
      const merchant = await findMerchant(database, merchantId);
      if (merchant === null) return merchantUnknown(merchantId);
      const text = await readFile(keyPath, 'utf8').catch(() => '');
      const key = readReceiverKey(text);
      if (key === null)
        return {
          option: '--public-key',
          message: `${visible(keyPath)} has no RSA public key of 2,048 bits or more`,
        };
      const resource = `merchants/${merchantId}/export`;
      const detail = { reason: given.one('reason') ?? '' };
      await audit.record({ ...operator, action: 'merchant.export', outcome: 'success', resource, detail });
      const receiverId = given.one('receiver') ?? merchantId;
      const clock = await readBusinessClock(database);
      const exported = await exportFile(
        { database, keyring, clock },
        { merchant, receiverId, key, path },
      ).catch((error: NodeJS.ErrnoException) => {
        if (error.code === undefined || !error.code.startsWith('E')) throw error;
        return error.code;
      });
      if (typeof exported === 'string')
        return { option: '--to', message: `${visible(path)} cannot be written: ${exported}` };
      const { webhooks, plans, cards, subscriptions, unreadable, leftOut } = exported;
      return {
        isBad: unreadable.length + leftOut.length > 0,
        lines: [
          `The merchant, ${webhooks} webhooks, ${plans} plans, ${cards} cards and ${subscriptions} subscriptions are in ${visible(path)}.`,
          ...unreadable.map((vaultId) => `Card ${vaultId} does not open, and is not in it.`),
          ...leftOut.map(({ subscriptionId, why }) => `Subscription ${subscriptionId} ${WHY_LEFT_OUT[why]}.`),
        ],
        json: exported,
      };
    },
  },
];

async function beginsWithMerchant(path: string): Promise<boolean> {
  for await (const { bytes } of linesOfFile(path)) return bytes !== null && isOfMerchant(bytes);
  return false;
}

function linesOf(report: ImportReport, isTrial: boolean): Lines {
  const rows = ROW_KINDS.map((kind) => [`${kind}s`, ...countsOf(report[kind])]);
  const due = report.due.map(({ planId, dueOn, count, cents }) => [
    dueOn,
    planId,
    String(count),
    reaisOf(cents),
  ]);
  return [
    `${report.lines} lines, of which ${report.unread} cannot be read.${isTrial ? ' Nothing was written.' : ''}`,
    ...table(['', isTrial ? 'WOULD BE TAKEN' : 'TAKEN', 'THERE ALREADY', 'REFUSED'], rows),
    report.completed > 0 &&
      `${report.completed} cards that were there have now what they lacked of the network's id or link.`,
    due.length > 0 && table(['FIRST DUE', 'PLAN', 'SUBSCRIPTIONS', 'REAIS'], due),
  ];
}

function countsOf({ taken, known, refused }: Counts): string[] {
  return [String(taken), String(known), String(refused)];
}
