import { type Audit, changedFields, type MerchantActor, merchantEvent } from '../../audit/audit-event.ts';

import type { BatchedWriteOptions } from '../../platform/postgres/batched-writes.ts';
import { type Reader, statement } from '../../platform/postgres/database.ts';
import { column, type RowOf, rowCodec } from '../../platform/postgres/row-codec.ts';
import { type Instant, utcText } from '../../values/instant.ts';

/** One at a time: every commit waits for the end of the audit log's chain. */
const LIMITS = { rowsPerBatch: 1, statementsInFlight: 2, waitingCallers: 200 };

const NOTIFIER = rowCodec(
  { callbackUrl: column.text(), createdBy: column.text(), createdAt: column.instant() },
  'n',
);

/** Where an account is notified of exceptions. */
export type ExceptionNotifier = RowOf<typeof NOTIFIER>;

const FIND = statement(
  'exception_notifiers.find',
  `select ${NOTIFIER.columns} from accounts a
   left join reconciliation_notifiers n on n.merchant_id = a.merchant_id and n.account_number = a.account_number
   where a.merchant_id = $1 and a.account_number = $2`,
);

/** `none`: the account has no notifier. Null: the merchant has no such account. */
export async function findExceptionNotifier(
  database: Reader,
  merchantId: string,
  accountNumber: string,
): Promise<ExceptionNotifier | 'none' | null> {
  const [row] = await database.query(FIND, [merchantId, accountNumber]);
  if (row === undefined) return null;
  return row.callback_url === null ? 'none' : NOTIFIER.parse(row);
}

const ADDRESS = rowCodec({ callbackUrl: column.text() }, 'n');

const LOCK = statement(
  'exception_notifiers.lock',
  `select ${ADDRESS.columns} from reconciliation_notifiers n
   where n.merchant_id = $1 and n.account_number = $2 for no key update`,
);

const REGISTER = statement(
  'exception_notifiers.register',
  `insert into reconciliation_notifiers (merchant_id, account_number, callback_url, endpoint, created_by, created_at)
   values ($1, $2, $3, $4, $5, $6)
   on conflict (merchant_id, account_number) do update set callback_url = excluded.callback_url,
     endpoint = excluded.endpoint, created_by = excluded.created_by, created_at = excluded.created_at
   returning account_number`,
);

const REMOVE = statement(
  'exception_notifiers.remove',
  'delete from reconciliation_notifiers where merchant_id = $1 and account_number = $2 returning account_number',
);

/** `callbackUrl` null: it is removed. */
export type NotifierChange = {
  readonly actor: MerchantActor;
  readonly accountNumber: string;
  readonly target: { readonly callbackUrl: string; readonly endpoint: string; readonly at: Instant } | null;
};

/** The notifier and its audit entry in one commit; the same again is harmless. */
export function notifierChangesWrite(audit: Audit): BatchedWriteOptions<NotifierChange, 'done'> {
  const key = ({ actor, accountNumber }: NotifierChange) => `${actor.merchantId}|${accountNumber}`;
  return {
    name: 'exceptionNotifiers',
    isRefusal: () => false,
    key,
    merchant: ({ actor }) => actor.merchantId,
    limits: LIMITS,
    write: async ([row]) => {
      const change = row as NotifierChange;
      await writeChange(audit, change);
      return new Map([[key(change), 'done']]);
    },
  };
}

async function writeChange(audit: Audit, { actor, accountNumber, target }: NotifierChange): Promise<void> {
  const account = [actor.merchantId, accountNumber];
  const write =
    target === null
      ? { statement: REMOVE, values: account }
      : {
          statement: REGISTER,
          values: [...account, target.callbackUrl, target.endpoint, actor.userName, utcText(target.at)],
        };
  await audit.transaction(
    async (tx) => {
      const [before] = (await tx.query(LOCK, account)).map(ADDRESS.parse);
      if ((await tx.query(write.statement, write.values)).length === 0) return;
      const [was, url] = [before?.callbackUrl ?? null, target?.callbackUrl ?? null];
      tx.record(notifierEvent(actor, accountNumber, was, url));
    },
    { merchantId: actor.merchantId },
  );
}

/** The servers alone: path and query of an address may hold a secret. */
function notifierEvent(actor: MerchantActor, accountNumber: string, was: string | null, url: string | null) {
  const serverOf = (address: string | null) => (address === null ? 'none' : new URL(address).origin);
  const changed = changedFields({ server: serverOf(was) }, { server: serverOf(url) });
  const action = url === null ? 'exceptionNotifier.remove' : 'exceptionNotifier.register';
  return merchantEvent(action, actor, `accounts/${accountNumber}/exception-notifier`, changed);
}
