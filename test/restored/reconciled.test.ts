import assert from 'node:assert/strict';
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { ecsFields } from '../../src/platform/log.ts';
import { identifyCharge } from '../../src/recurrence/collection/identify-charge.ts';
import { runCommandHere } from '../kit/command.ts';
import { logIn, paymentRequest, tokenize } from '../kit/merchant.ts';
import { openPixBank } from '../kit/pix-bank.ts';
import {
  databaseUrl,
  type OpenedService,
  openService,
  openSimulator,
  type RunningService,
  type Simulator,
  startService,
  until,
} from '../kit/service.ts';
import { openResolvingBridge, type ResolvingBridge } from '../kit/spoiling-acquirer.ts';
import { captureOf } from '../payments/preauthorized.ts';
import {
  cancel as cancelPix,
  type PixShop,
  pay as payPix,
  ledger as pixLedger,
  untilStatus,
} from '../pix/pix-service.ts';
import { type Cluster, type Clusters, openClusters } from './clusters.ts';
import { giveBackPart, type LostPix, losePix, makePix, statusOf } from './lost-pix.ts';
import {
  asked,
  authorizeThere,
  BOOKED_AND_SILENT,
  cancel,
  cancelThere,
  type Enrolled,
  held,
  type Keyed,
  ledgerOf,
  paid,
  pay,
  type Shop,
  send,
  stored,
  subscribe,
} from './lost-shop.ts';

let root: string;
let clusters: Clusters;
let recovered: Cluster;
let simulator: Simulator;
/** Before it, and spoiling what a test wants spoiled. */
let bridge: ResolvingBridge;
/** What ends with the tests, however far they come. */
const ends: (() => Promise<unknown>)[] = [];
let onRecovered: OpenedService;
let merchantId: string;
let token: string;
/** Payments by what was done with them, and when. */
const ids: Record<string, string> = {};
/** Subscriptions by what their merchant was told in the lost time: each owes an amount of its own. */
const told: Record<'ended' | 'other' | 'planEnded' | 'billingEnded' | 'left', Enrolled> = {} as never;
/** Of the lost time, with the payment that was answered. */
const keyed: (Keyed & { readonly paymentId: string | undefined })[] = [];
let otherCard: string;
let pixBank: Awaited<ReturnType<typeof openPixBank>>;
let pix: LostPix;
/** The log of the lost services. */
let lostLines: string;

let since: string;

const settingsOf = (cluster: Cluster, more: Readonly<Record<string, string>> = {}) => ({
  DATABASE_URL: databaseUrl(cluster.address),
  PARCELA_ACQUIRER_URL: simulator.url,
  PARCELA_ACQUIRER_TIMEOUT_MILLISECONDS: '2000',
  ...pixBank.settings,
  ...more,
});

async function opened(options: Parameters<typeof openService>[0]): Promise<OpenedService> {
  const service = await openService(options);
  let ending: Promise<unknown> | undefined;
  const stop = () => {
    ending ??= service.stop();
    return ending;
  };
  ends.push(stop);
  return { ...service, stop };
}

const ledger = (ofMerchant = merchantId) => ledgerOf(simulator.url, ofMerchant);

const rowOf = async (paymentId: string | undefined) =>
  (
    await recovered.sql(`select state, origin, amount::int, canceled_amount::int from transactions
    where transaction_id = '${paymentId}'`)
  )[0];

/** A command of the operator, on the recovered database. */
const parcelaWith = (more: Readonly<Record<string, string>>, ...words: string[]) =>
  runCommandHere(words, { ...settingsOf(recovered, more), PARCELA_DATA_DIR: join(root, 'home') });
const parcela = (...words: string[]) => parcelaWith({}, ...words);

async function reconcile(...words: string[]): Promise<Record<string, unknown>> {
  return reconcileWith({}, ...words);
}

async function reconcileWith(
  more: Readonly<Record<string, string>>,
  ...words: string[]
): Promise<Record<string, unknown>> {
  const { code, printed, said } = await parcelaWith(more, 'restore', 'reconcile', '--json', ...words);
  assert.ok(printed.startsWith('{'), said);
  return { ...(JSON.parse(printed) as Record<string, unknown>), code };
}

/**
 * A service works on a server whose log is archived, under a base backup; then everything that
 * happened after a moment is lost: the backup is recovered up to it.
 */
before(async () => {
  root = await mkdtemp(join(tmpdir(), 'parcela-reconciled-'));
  await chmod(root, 0o711);
  const archive = join(root, 'archive');
  await mkdir(archive, { mode: 0o777 });
  await chmod(archive, 0o777);
  clusters = await openClusters();
  const lost = await clusters.make();
  const archiving = { archive_mode: 'on', archive_command: `cp %p ${archive}/%f`, wal_level: 'replica' };
  await lost.start(archiving);
  simulator = await openSimulator(join(root, 'ledger'));
  const folder = join(root, 'home');
  await mkdir(folder);

  pixBank = await openPixBank(root);
  const place = { DATABASE_URL: databaseUrl(lost.address) };
  const making = await opened({ folder, settings: { ...place, ...pixBank.settings } });
  const demo = await making.demo();
  ({ merchantId } = demo);
  token = await logIn(making.gatewayUrl, demo.gateway);
  pix = await makePix(pixShopAt(making));
  await making.stop();

  // It resolves nothing: what has no answer stands in the backup.
  bridge = await openResolvingBridge(simulator.url);
  const unresolving = { PARCELA_CHARGES_AT_ONCE: '0', PARCELA_ROLES: 'http,webhooks' };
  const first = await opened({
    folder,
    settings: settingsOf(lost, { ...unresolving, PARCELA_ACQUIRER_URL: bridge.url }),
  });
  token = await logIn(first.gatewayUrl, demo.gateway);
  const shopAt = ({ gatewayUrl }: RunningService): Shop => {
    return { gatewayUrl, token, merchantId, simulatorUrl: simulator.url };
  };
  const before = shopAt(first);
  ids.kept = await paid(before, 10_000, 'KEPT');
  ids.captured = await held(before, 20_000);
  ids.released = await held(before, 21_000);
  ids.waiting = await held(before, 22_000);
  ids.full = await paid(before, 13_500, 'FULL');
  ids.capturing = await held(before, 24_000);
  bridge.spoil(({ kind }) => (kind === 'capture' ? 'garbage' : null));
  void captureOf(before, ids.capturing, 24_000).catch(() => {});
  await until('the capture has no answer', async () => bridge.asked.some(({ kind }) => kind === 'capture'));
  const recurring = { ...before, token: await logIn(first.gatewayUrl, demo.recurrence) };
  await subscribe(recurring, token, { amount: 49.9, trialDays: 0 });
  for (const [index, name] of (['ended', 'other', 'planEnded', 'billingEnded', 'left'] as const).entries())
    told[name] = await subscribe(recurring, token, { amount: 41 + index, trialDays: 20 });
  otherCard = await stored(before, token);
  ids.keyed = await paid(before, 12_500, 'KEYED');
  const base = await lost.backUp();
  const [moment] = await lost.sql('select now() as now, pg_create_restore_point($$moment$$)');
  since = new Date(moment?.now as string).toISOString();
  await first.stop();

  const second = await startService({ folder, settings: settingsOf(lost) });
  ends.push(() => second.kill());
  const later = shopAt(second);
  await losePix(pixShopAt(second), pix);
  await addPixBank(settingsOf(lost));
  await until('the billing is charged', async () => (await ledger()).some(({ amount }) => amount === 4_990));
  ids.lost = await paid(later, 11_000, 'LOST');
  await loseWhatMerchantsWereTold(later, await logIn(second.gatewayUrl, demo.recurrence), lost);
  ids.lostInPart = await paid(later, 12_000, 'LOST-IN-PART');
  await cancel(later, ids.lostInPart, 500);
  await cancel(later, ids.kept, 300);
  assert.equal((await captureOf(later, ids.captured, 15_000)).status, 200);
  await cancel(later, ids.released);
  await cancel(later, ids.full, 400);
  await until('the capture is resolved', async () => {
    const [row] = await lost.sql(`select state from transactions where transaction_id = '${ids.capturing}'`);
    return row?.state === 'approved';
  });
  await cancel(later, ids.capturing, 700);
  ids.lostHeld = await held(later, 23_000);
  ids.contested = await paid(later, 14_000, 'CONTESTED');
  await until('the billing is paid', async () => {
    const rows = await lost.sql(`select from billings where state = 'paid'`);
    return rows.length === 1;
  });
  // What follows it is opened and charged in the lost time too.
  await lost.sql(`update billings set charge_on = now()::date - 1 where state = 'opened' and installment = 2
    and amount = 4990`);
  await until('what follows it is paid', async () => {
    const rows = await lost.sql(`select from billings where state = 'paid'`);
    return rows.length === 2;
  });
  void pay(later, BOOKED_AND_SILENT, 'SILENT').catch(() => {});
  ids.silent = await until('the silent charge is booked', async () => {
    const found = (await ledger()).find(({ amount }) => amount === BOOKED_AND_SILENT);
    return found?.paymentId as string | undefined;
  });
  const hold = ['billing', 'hold', '--merchant', merchantId, '--reason', 'a person asked'];
  const holding = await runCommandHere(hold, { ...settingsOf(lost), PARCELA_DATA_DIR: folder });
  assert.equal(holding.code, 0, holding.said);
  await until('the service has logged what the command did', async () =>
    second.log.some((line) => line.includes('"action":"billing.hold"')),
  );
  await second.kill();
  lostLines = join(root, 'lost.log');
  // The first one ended in the lost time, and said so.
  await writeFile(lostLines, [...first.log, ...second.log].join('\n'));
  await lost.sql('select pg_switch_wal()');
  await lost.stop();

  recovered = base;
  await recovered.leave('recovery.signal');
  await recovered.start({
    restore_command: `cp ${archive}/%f %p`,
    recovery_target_name: 'moment',
    recovery_target_action: 'promote',
  });
  await until('it takes writes', async () => {
    const [row] = await recovered.sql('select pg_is_in_recovery() as is_recovering');
    return row?.is_recovering === false;
  });
  onRecovered = await opened({ folder, settings: settingsOf(recovered) });
});

const pixShopAt = ({ gatewayUrl }: RunningService) =>
  ({ url: gatewayUrl, token, bankUrl: pixBank.pix.url }) as unknown as PixShop;

/** Added in the lost time, and again. */
async function addPixBank(settings: Readonly<Record<string, string>>): Promise<void> {
  const tokenFile = join(root, 'segundo');
  await writeFile(tokenFile, 'segundo:secret', { mode: 0o600 });
  const words = [
    'provider',
    'add',
    '--kind',
    'pix',
    '--name',
    'segundo',
    '--setting',
    'key=pix@loja.example',
  ];
  const where = ['--url', `${pixBank.pix.url}/api/v2`, '--token-file', tokenFile];
  const added = await runCommandHere([...words, ...where], {
    ...settings,
    PARCELA_DATA_DIR: join(root, 'home'),
  });
  assert.equal(added.code, 0, added.said);
}

/** All answered 200. */
async function loseWhatMerchantsWereTold(shop: Shop, recurrence: string, lost: Cluster): Promise<void> {
  const recurring = { ...shop, token: recurrence };
  const of = '/v1/recurrences';
  await asked(recurring, `${of}/subscriptions/${told.ended.subscriptionId}/status`, { status: 'Canceled' });
  await asked(recurring, `${of}/subscriptions/${told.other.subscriptionId}/vault`, { vaultId: otherCard });
  await asked(recurring, `${of}/plans/${told.planEnded.planId}/status`, { status: 'Canceled' });
  const [billing] = await lost.sql(
    `select billing_id from billings where subscription_id = '${told.billingEnded.subscriptionId}'`,
  );
  await asked(recurring, `${of}/billing/${billing?.billing_id}/cancel`, {});
  const numberToken = await tokenize(shop.gatewayUrl, shop.token);
  for (const one of [
    { path: `/v1/payments/${ids.keyed}/cancel`, body: { amount: 3_000 }, key: 'told-cancel' },
    { path: '/v1/payments', body: paymentRequest(numberToken, 12_600), key: 'told-payment' },
  ]) {
    const reply = await send(shop, one);
    assert.equal(reply.status, 200, reply.text);
    keyed.push({ ...one, paymentId: reply.body.paymentAuthorization?.paymentId });
  }
}

after(async () => {
  for (const end of ends) await end();
  await clusters?.close();
  await bridge?.close();
  await simulator?.stop();
  await pixBank?.pix.stop();
  await rm(root, { recursive: true, force: true });
});

test('the recovered database is held, and knows nothing of what came after the moment', async () => {
  const ready = await fetch(new URL('/health/ready', onRecovered.gatewayUrl));
  assert.equal(((await ready.json()) as { reason: string }).reason, 'restored');
  assert.deepEqual(
    [await rowOf(ids.lost), await rowOf(ids.lostInPart), await rowOf(ids.lostHeld)],
    [undefined, undefined, undefined],
  );
});

type Restored = { returned: number; removed: number; left: { txid: string; state: string }[] };

test('a dry run says what would be done and changes nothing: what is new may be unanswered, the rest is not', async () => {
  // The server says up to which commit it was recovered: not behind the moment.
  const said = await reconcile('--dry-run');
  const restoredTo = Date.parse(said.restoredTo as string);
  assert.ok(
    restoredTo <= Date.parse(since) && restoredTo > Date.parse(since) - 3_600_000,
    String(said.restoredTo),
  );
  // The canceled one was answered, and the billing has no caller.
  const { code, filled, voided, undecided, unfinished, leftToServices, notOurs } = said;
  assert.deepEqual(
    { code, filled, voided, undecided, unfinished, leftToServices, notOurs },
    {
      ...{ code: 1, filled: 7, voided: 0, undecided: 6, unfinished: 1, leftToServices: 0, notOurs: 0 },
    },
  );
  const { returned, removed, left } = said.pix as Restored;
  assert.deepEqual([returned, removed, left.map(({ txid }) => txid)], [2, 1, [pix.lost?.txid]]);
  assert.deepEqual(await recovered.sql('select from restore_runs union all select from pix_refunds'), []);
  assert.equal(await rowOf(ids.lostInPart), undefined);
});

test('reconciling fills in what was answered, asks a person for the rest, and does nothing twice', async () => {
  // The books would not take its cancel: nothing is left of it there.
  await recovered.sql(
    `update transactions set canceled_amount = amount where transaction_id = '${ids.full}'`,
  );
  await breakOff('transactions', "new.origin = 'billing' and new.state = 'approved'");
  assert.deepEqual(await ofBillings(), { approved: 0, paid: 0 });
  await breakOff('billings', "new.state = 'paid'");
  assert.deepEqual(await ofBillings(), { approved: 1, paid: 0 }, 'recorded, and its billing not ended');
  const first = await reconcile('--since', since);
  const { code, filled, undecided, unfinished } = first;
  assert.deepEqual([code, filled, undecided, unfinished], [1, 7, 6, 1], JSON.stringify(first));
  assert.deepEqual(await rowOf(ids.lostInPart), {
    ...{ state: 'approved', origin: 'payment', amount: 12_000, canceled_amount: 500 },
  });
  assert.deepEqual((await rowOf(ids.kept))?.canceled_amount, 300);
  const captured = await rowOf(ids.captured);
  assert.deepEqual([captured?.state, captured?.amount], ['approved', 15_000]);
  assert.equal((await rowOf(ids.released))?.state, 'unresolved');
  assert.equal((await rowOf(ids.waiting))?.state, 'preauthorized');
  const charges = await recovered.sql(`select origin, state from transactions where origin = 'billing'`);
  const charge = { origin: 'billing', state: 'approved' };
  assert.deepEqual(charges, [charge, charge], 'what followed the first one has the id that the acquirer has');
  const links = await recovered.sql(`select distinct v.transaction_link_id is not null as is_linked
    from transactions t join vault_cards v using (merchant_id, vault_id) where t.origin = 'billing'`);
  assert.deepEqual(links, [{ is_linked: true }], 'the card has the link of a charge that was restored');
  const paidBillings = await recovered.sql(
    `select installment from billings where state = 'paid' order by 1`,
  );
  assert.deepEqual(
    paidBillings.map(({ installment }) => installment),
    [1, 2],
  );
  const again = await reconcile('--since', since);
  assert.equal(
    again.unfinished,
    1,
    'the capture is found out by the services, and its cancel put in behind it',
  );
  assert.deepEqual([again.filled, again.voided, again.seen], [0, 0, first.seen]);
  const rows = await recovered.sql('select count(*)::int as count from movements');
  assert.equal(rows.length, 1);
});

/** A comparison that ends where a charge of a billing would change this table so. */
async function breakOff(table: string, when: string): Promise<void> {
  await recovered.sql(`create function break_off() returns trigger language plpgsql as
    $$begin raise exception 'broken off'; end$$`);
  await recovered.sql(`create trigger break_off before update on ${table} for each row when (${when})
    execute function break_off()`);
  const { code, said } = await parcela('restore', 'reconcile', '--since', since);
  await recovered.sql('drop function break_off cascade');
  assert.notEqual(code, 0);
  assert.match(said, /broken off/);
}

async function ofBillings(): Promise<unknown> {
  const [row] = await recovered.sql(`select
    (select count(*)::int from transactions where origin = 'billing' and state = 'approved') as approved,
    (select count(*)::int from billings where state = 'paid') as paid`);
  return row;
}

test('what was given back and taken away by Pix is put into the books, and what they lost is named', async () => {
  const { pix: found } = await reconcile('--since', since);
  assert.deepEqual(found, {
    ...NOTHING_BROUGHT,
    left: [{ bank: 'default', txid: pix.lost?.txid, amount: 14_990, state: 'waiting' }],
  });
  const refunds = await recovered.sql(`select state, amount::int from pix_refunds order by amount`);
  assert.deepEqual(refunds, [
    { state: 'refunded', amount: 4_000 },
    { state: 'refunded', amount: 14_990 },
  ]);
  const shop = pixShopAt(onRecovered);
  const statuses = [await statusOf(shop, pix.part), await statusOf(shop, pix.removed)];
  assert.deepEqual([...statuses, await statusOf(shop, pix.late)], ['Paga', 'Cancelada', 'Cancelada']);
  const named = ['--since', since, '--lines', lostLines];
  const { pix: shown } = await reconcile('--dry-run', ...named);
  assert.deepEqual(shown, { brought: 1, returned: 0, removed: 0, left: [] });
  assert.deepEqual((await reconcile(...named)).pix, shown);
  assert.deepEqual((await reconcile(...named)).pix, { ...NOTHING_BROUGHT, left: [] }, 'once');
});

const NOTHING_BROUGHT = { brought: 0, returned: 0, removed: 0 };

type Redone = {
  missing?: { from: number; to: number }[];
  done?: number;
  alreadySo?: number;
  items?: Record<string, string>[];
  left?: unknown[];
};

const redo = (...words: string[]) => redoBy(lostLines, ...words);

async function redoBy(lines: string, ...words: string[]): Promise<Redone & { readonly code: number }> {
  const { code, printed, said } = await parcela('restore', 'redo', '--lines', lines, '--json', ...words);
  assert.ok(printed.startsWith('{'), said);
  return { ...(JSON.parse(printed) as Redone), code: code as number };
}

const keyedPayment = () => keyed[1]?.paymentId as string;

type Listed = { transactionId: string; reason: string; detail: string | null };

async function listed(): Promise<{ items: Listed[]; unfinished: Listed[] }> {
  return JSON.parse((await parcela('restore', 'list', '--json')).printed) as never;
}

const REASON = ['--reason', 'asked the merchant'];
const decide = (id: string | undefined, as: string) =>
  parcela('restore', 'decide', '--charge', id as string, '--as', as, ...REASON);

test('what the books did not take is no fill: it waits with its reason, and is tried again', async () => {
  const { items, unfinished } = await listed();
  assert.deepEqual(
    unfinished.map(({ transactionId, reason }) => [transactionId, reason]),
    [[ids.capturing, 'left']],
  );
  const full = items.find(({ transactionId }) => transactionId === ids.full);
  assert.equal(full?.reason, 'notWritten');
  assert.match(full?.detail ?? '', /cancel of 400 was not written: alreadyCanceled/);
  const refused = await decide(ids.full, 'kept');
  assert.equal(refused.code, 1, refused.printed);
  assert.match(refused.printed, /alreadyCanceled/);
  await recovered.sql(`update transactions set canceled_amount = 0 where transaction_id = '${ids.full}'`);
  assert.equal((await decide(ids.full, 'kept')).code, 0);
  assert.equal((await rowOf(ids.full))?.canceled_amount, 400);
});

test('what is approved in the books is never voided, and can be kept whatever was begun', async () => {
  const begun = (as: string) =>
    recovered.sql(`update restored_charges set decision = 'undecided', decided_at = null, decided_by = null,
      claimed_as = '${as}', claimed_by = 'ana', claimed_until = now() where transaction_id = '${ids.full}'`);
  // Killed between the charge and the end of the decision.
  await begun('kept');
  const voided = await decide(ids.full, 'voided');
  assert.match(voided.printed, /is approved in the books: cancel it there/);
  const [claimed] = await recovered.sql(
    `select claimed_as from restored_charges where transaction_id = '${ids.full}'`,
  );
  assert.equal(claimed?.claimed_as, 'kept');
  await begun('voided');
  const kept = await decide(ids.full, 'kept');
  assert.equal(kept.code, 0, kept.printed);
});

test('one person at a time decides on a charge, and what was begun as voided is never kept', async () => {
  const claimed = (until: string) =>
    recovered.sql(`update restored_charges set claimed_as = 'voided', claimed_by = 'ana', claimed_until = now() ${until}
      where transaction_id = '${ids.silent}'`);
  await claimed(`+ interval '1 minute'`);
  for (const as of ['kept', 'voided']) {
    const meanwhile = await decide(ids.silent, as);
    assert.equal(meanwhile.code, 1);
    assert.match(meanwhile.printed, /is being decided as voided by ana/);
  }
  const [before] = (await ledger()).filter(({ paymentId }) => paymentId === ids.silent);
  assert.equal(before?.status, 'approved');
  // Killed in it: it may have been taken back at the acquirer.
  await claimed(`- interval '1 second'`);
  const kept = await decide(ids.silent, 'kept');
  assert.match(kept.printed, /was begun to be decided as voided by ana/);
  assert.equal(await rowOf(ids.silent), undefined);
  const both = await Promise.all([decide(ids.contested, 'kept'), decide(ids.contested, 'voided')]);
  assert.deepEqual(both.map(({ code }) => code).toSorted(), [0, 1], JSON.stringify(both));
  const [contested] = (await ledger()).filter(({ paymentId }) => paymentId === ids.contested);
  const isKept = both[0]?.code === 0;
  assert.equal(contested?.status, isKept ? 'approved' : 'undone');
  assert.equal((await rowOf(ids.contested))?.state, isKept ? 'approved' : undefined);
});

test('a person decides what is left, and it is in the audit log', async () => {
  const { items } = await listed();
  assert.deepEqual(
    items.map(({ transactionId }) => transactionId).toSorted(),
    [ids.lost, ids.lostHeld, ids.silent, keyedPayment()].toSorted(),
  );
  const ofSold = [ids.lost, ids.lostHeld];
  const kept = ofSold.flatMap((id) => ['--charge', id as string]);
  const keeping = await parcela('restore', 'decide', ...kept, '--as', 'kept', ...REASON);
  assert.equal(keeping.code, 0, keeping.said + keeping.printed);
  const voiding = await decide(ids.silent, 'voided');
  assert.equal(voiding.code, 0, voiding.said + voiding.printed);
  assert.equal((await rowOf(ids.lost))?.state, 'approved');
  assert.equal((await rowOf(ids.lostHeld))?.state, 'preauthorized');
  const silent = (await ledger()).find(({ paymentId }) => paymentId === ids.silent);
  assert.equal(silent?.status, 'undone');
  const { printed } = await parcela('audit', 'list', '--action', 'restore.decide', '--json');
  assert.equal((JSON.parse(printed) as { items: unknown[] }).items.length, 6);
});

test('what merchants were told and an operator did in the lost time is read from the shipped lines, shown, and done again once', async () => {
  const before = await redo();
  assert.deepEqual(
    before.items?.map(({ action, to, state }) => [action, to, state]),
    [
      ['provider.add', null, 'byHand'],
      ['subscription.change', 'canceled', 'toDo'],
      ['subscription.change', otherCard, 'toDo'],
      ['plan.change', 'canceled', 'toDo'],
      ['billing.cancel', 'canceled', 'toDo'],
      ['billing.hold', 'on', 'toDo'],
    ],
  );
  assert.equal(before.code, 1, 'something is to be done');
  const [first, again] = [await redo('--do'), await redo('--do')];
  assert.deepEqual([first.done, first.alreadySo, first.left?.length, first.code], [5, 0, 1, 1]);
  assert.deepEqual([again.done, again.alreadySo, again.left?.length, again.code], [0, 5, 1, 1]);
  const releasing = await parcela('billing', 'release', '--merchant', merchantId, '--reason', 'asked again');
  assert.equal(releasing.code, 0, releasing.said);
  assert.equal((await redo('--do')).alreadySo, 5, 'nothing is done twice, whatever has changed since');
  const { printed } = await parcela('audit', 'list', '--action', 'restore.redo', '--json');
  assert.equal((JSON.parse(printed) as { items: unknown[] }).items.length, 5);
});

test('a provider of the lost time is here again and compared before the database is accepted', async () => {
  const accept = async () => (await parcela('restore', 'accept', '--reason', 'too early')).said;
  assert.match(await accept(), /pix\/segundo was added in the lost time and is not here/);
  const uncompared = await parcela('restore', 'reconcile', '--since', since);
  assert.match(uncompared.said, /pix\/segundo was added in the lost time and is not here/);
  await addPixBank(settingsOf(recovered));
  assert.match(await accept(), /pix\/segundo was not there when restore reconcile was run/);
  const { pix: found } = await reconcile('--since', since);
  assert.deepEqual(found, { ...NOTHING_BROUGHT, left: [] });
  const shown = await redo();
  assert.deepEqual([shown.items?.length, shown.code], [5, 0]);
});

test('an acquirer without a list stops no comparison, is named, and is accepted only as not compared', async () => {
  const keyFile = join(root, 'rede');
  await writeFile(keyFile, '10000167:key', { mode: 0o600 });
  const named = ['--kind', 'acquirer', '--name', 'rede', '--adapter', 'rede', '--url', 'http://127.0.0.1:1'];
  const access = ['--establishment', merchantId, '--establishment-key-file', keyFile];
  const added = await parcela('provider', 'add', ...named, ...access);
  assert.equal(added.code, 0, added.said);
  const { printed, code } = await parcela('restore', 'reconcile', '--since', since);
  assert.match(printed, /\d+ {2}charges that the acquirer has since then/);
  assert.match(printed, /The acquirer rede lists no charges: nothing there was compared/);
  assert.equal(code, 1);
  const { said } = await parcela('restore', 'accept', '--reason', 'too early');
  assert.match(said, /acquirer\/rede lists no charges and was not compared.*--unreconciled/);
  await recovered.sql(`delete from providers where name = 'rede'`);
  assert.deepEqual((await reconcile('--since', since)).unlisted, []);
});

/** The lost lines, changed, as another file. */
async function linesAs(name: string, change: (line: string) => string | null): Promise<string> {
  const lines = (await readFile(lostLines, 'utf8')).split('\n').map(change);
  const file = join(root, name);
  await writeFile(file, lines.filter((line) => line !== null).join('\n'));
  return file;
}

const isAudit = (line: string) => line.includes('"auditSeal"');

test('lost lines are read in ECS and in the files of Docker, and a file without any is refused', async () => {
  const wrapped = await linesAs('docker.log', (line) => {
    if (!isAudit(line)) return line;
    const { time, ...fields } = JSON.parse(line) as Record<string, unknown>;
    const log = JSON.stringify({ '@timestamp': time, ...ecsFields(fields) });
    return JSON.stringify({ log: `${log}\n`, stream: 'stdout', time });
  });
  const [asWritten, read] = [await redo(), await redoBy(wrapped)];
  assert.equal(asWritten.items?.length, 5);
  assert.deepEqual(read, asWritten);
  const others = await linesAs('others.log', (line) => (isAudit(line) ? null : line));
  const refused = await parcela('restore', 'redo', '--lines', lostLines, '--lines', others);
  assert.notEqual(refused.code, 0, refused.printed);
  assert.match(refused.said, /others\.log has no line of the audit log/);
});

test('lost entries that have no line are named, and it is not said that nothing was undone', async () => {
  const numberOf = (line: string) => (JSON.parse(line) as { auditEntry: number }).auditEntry;
  const whole = await redo();
  assert.deepEqual([whole.missing, whole.code], [[], 0]);
  const lines = (await readFile(lostLines, 'utf8')).split('\n').filter(isAudit);
  const last = lines.at(-1) as string;
  const gone = lines
    .filter((line) => line !== last && /"(?:subscription|plan)\.change"/.test(line))
    .map(numberOf);
  const without = await linesAs('torn.log', (line) =>
    isAudit(line) && gone.includes(numberOf(line)) ? null : line,
  );
  const torn = await redoBy(without);
  const missing = torn.missing?.flatMap(({ from, to }) =>
    Array.from({ length: to - from + 1 }, (_, at) => from + at),
  );
  assert.ok(gone.length > 0);
  assert.deepEqual([missing, torn.code], [gone.toSorted((a, b) => a - b), 1]);
  const onlyLast = await linesAs('last.log', (line) => (line === last ? line : null));
  const { printed, code } = await parcela('restore', 'redo', '--lines', onlyLast);
  assert.equal(code, 1);
  assert.match(printed, /No line was given of the lost entries \d+-\d+\./);
  assert.doesNotMatch(printed, /Nothing was undone/);
});

test('no database is accepted while it is being compared, not even unreconciled', async () => {
  let asked = 0;
  // What it can do, the list that is looked through first, and then the list that it is brought to.
  bridge.spoil(({ kind }) => {
    if (kind === 'other') asked += 1;
    return kind === 'other' && asked > 2 ? 'hold' : null;
  });
  const limits = {
    PARCELA_ACQUIRER_TIMEOUT_MILLISECONDS: '60000',
    PARCELA_REQUEST_DEADLINE_MILLISECONDS: '90000',
  };
  const patient = { PARCELA_ACQUIRER_URL: bridge.url, ...limits };
  const comparing = reconcileWith(patient, '--since', since);
  await until('it waits for the list', async () => bridge.held() > 0);
  for (const more of [[], ['--unreconciled']]) {
    const refused = await parcela('restore', 'accept', ...more, '--reason', 'too early');
    assert.notEqual(refused.code, 0, refused.printed);
    assert.match(refused.said, /restore reconcile is running/);
  }
  bridge.spoil(null);
  bridge.release();
  assert.deepEqual([(await comparing).filled, (await comparing).undecided], [0, 0]);
});

test('once it is accepted nothing is charged twice, and the books have every live charge', async () => {
  const accepted = await parcela('restore', 'accept', '--reason', 'a rehearsal of the tests');
  assert.equal(accepted.code, 0, accepted.said);
  assert.match(accepted.printed, /It was compared with the acquirer\./);
  assert.match(accepted.printed, /1 charges wait for a decision/);
  assert.match(accepted.printed, /1 charges are finished by the services/);
  await until('it is ready', async () => {
    return (await fetch(new URL('/health/ready', onRecovered.gatewayUrl))).status === 200;
  });
  assert.match(accepted.printed, /The billings of \d+ merchants are held/);
  await until('the billing is paid', async () => {
    return (await recovered.sql(`select from billings where state = 'paid'`)).length === 2;
  });
  await until('nothing is unknown', async () => {
    const open = await recovered.sql(`select from transactions where state in ('charging', 'unresolved')
      union all select from restored_charges where decision = 'unfinished'
      union all select from cancels where state = 'canceling'`);
    return open.length === 0;
  });
  const { items, unfinished } = await listed();
  assert.deepEqual([items.map(({ transactionId }) => transactionId), unfinished], [[keyedPayment()], []]);
  const captured = await rowOf(ids.capturing);
  assert.deepEqual([captured?.amount, captured?.canceled_amount], [24_000, 700]);
  const there = await ledger();
  assert.equal(there.filter(({ amount }) => amount === 4_990).length, 2);
  for (const { paymentId, status, amount, canceledAmount } of there) {
    const row = await rowOf(paymentId as string);
    if (status === 'undone') assert.ok(row === undefined || row.state === 'voided', String(paymentId));
    else if (paymentId !== keyedPayment())
      assert.deepEqual([row?.amount, row?.canceled_amount], [amount, canceledAmount], String(paymentId));
  }
  const shop = { gatewayUrl: onRecovered.gatewayUrl, token, merchantId, simulatorUrl: simulator.url };
  await cancel(shop, ids.lost as string);
  assert.equal((await captureOf(shop, ids.lostHeld as string)).status, 200);
  const audit = await parcela('audit', 'verify');
  assert.equal(audit.code, 0, audit.said + audit.printed);
});

test('what was canceled is not charged when it is due, and the other card is', async () => {
  const due = (name: keyof typeof told) => `'${told[name].subscriptionId}'`;
  const all = (Object.keys(told) as (keyof typeof told)[]).map(due).join();
  await recovered.sql(`update billings set due_on = now()::date - 1, charge_on = now()::date - 1
    where state = 'opened' and installment = 1 and subscription_id in (${all})`);
  const waiting = () =>
    recovered.sql(`select from billings where state = 'opened' and charge_on < now()::date`);
  assert.equal((await waiting()).length, 2, 'only of those that nobody canceled');
  assert.equal((await ledger()).filter(({ amount }) => amount === 4_500).length, 0, 'billings are held');
  // Charged in the lost time, and in no list that was compared.
  const [left] = await recovered.sql(
    `select billing_id from billings where subscription_id = ${due('left')}`,
  );
  const asked = identifyCharge(left?.billing_id as string, 0);
  await authorizeThere(simulator.url, merchantId, 4_500, { reference: asked });
  const released = await parcela(
    'restore',
    'release',
    '--merchant',
    merchantId,
    '--reason',
    'all is done again',
  );
  assert.equal(released.code, 0, released.said);
  await until('what is due is charged', async () => (await waiting()).length === 0);
  const amounts = (await ledger())
    .map(({ amount }) => Number(amount))
    .filter((one) => one > 4_000 && one < 4_600);
  assert.deepEqual(amounts.toSorted(), [4_200, 4_500]);
  assert.equal((await rowOf(asked))?.state, 'approved', 'asked again, it is answered what is there');
  const [charge] = await recovered.sql(`select vault_id from transactions where amount = 4200`);
  assert.equal(charge?.vault_id, otherCard);
});

test('a cancel and a payment of the lost time, sent again with their keys, are met and done once', async () => {
  const shop = { gatewayUrl: onRecovered.gatewayUrl, token, merchantId, simulatorUrl: simulator.url };
  const undecided = await send(shop, keyed[1] as Keyed);
  assert.deepEqual([undecided.status, undecided.body[0].tag], [409, 'idempotencyKey'], undecided.text);
  const kept = await parcela('restore', 'decide', '--all', '--as', 'kept', ...REASON);
  assert.equal(kept.code, 0, kept.said + kept.printed);
  for (const one of keyed) {
    const reply = await send(shop, one);
    assert.deepEqual([reply.status, reply.headers.get('idempotent-replayed')], [200, 'true'], reply.text);
    assert.deepEqual(reply.body.paymentAuthorization?.paymentId, one.paymentId);
    const other = await send(shop, {
      ...one,
      body: { ...one.body, ...('payment' in one.body ? { referenceTransaction: 'X' } : { amount: 3_001 }) },
    });
    assert.equal(other.status, 422, other.text);
  }
  const there = await ledger();
  assert.equal(there.find(({ paymentId }) => paymentId === ids.keyed)?.canceledAmount, 3_000);
  const pixShop = pixShopAt(onRecovered);
  const lostPix = pix.lost as NonNullable<LostPix['lost']>;
  await payPix(pixShop, lostPix.txid);
  await untilStatus(pixShop, lostPix.paymentId, 'Paga');
  const replayed = await giveBackPart(pixShop, pix);
  assert.deepEqual(
    [replayed.status, replayed.headers.get('idempotent-replayed')],
    [200, 'true'],
    replayed.text,
  );
  assert.equal((await giveBackPart(pixShop, pix, 4_001)).status, 422);
  assert.equal((await cancelPix(pixShop, pix.late.paymentId)).status, 409);
  const givenBack = (await pixLedger(pixShop, 'pix')).map((one) => one.givenBack);
  assert.deepEqual(givenBack.toSorted(), [0, 14_990, 4_000]);
  assert.equal(there.filter(({ amount }) => amount === 12_600).length, 1);
});

test('what was authorized when no service was left is voided; what is accepted is not compared by mistake', async () => {
  const refused = await parcela('restore', 'reconcile', '--since', since);
  assert.notEqual(refused.code, 0);
  assert.match(refused.said, /was not restored since it was accepted/);
  await authorizeThere(simulator.url, merchantId, 13_000);
  const aMinuteAgo = new Date(Date.now() - 60_000).toISOString();
  const words = ['--held-by-hand', '--since', since, '--stopped-at', aMinuteAgo];
  const done = await reconcile(...words);
  assert.deepEqual([done.code, done.voided, done.filled, done.undecided], [0, 1, 0, 0], JSON.stringify(done));
  const statusOf = async (of: number) => (await ledger()).find(({ amount }) => amount === of)?.status;
  assert.equal(await statusOf(13_000), 'undone');
  // A service of the lost database lives and sells behind a stop that was believed before.
  await authorizeThere(simulator.url, merchantId, 13_100);
  const longAgo = new Date(Date.now() - 3_600_000).toISOString();
  await recovered.sql(`update restore_runs set stopped_at = '${longAgo}', finished_at = null, cursor = null
    where run_number = (select max(run_number) from restore_runs)`);
  const stale = ['--held-by-hand', '--since', since, '--stopped-at', longAgo];
  const contradicted = await parcela('restore', 'reconcile', ...stale);
  assert.match(contradicted.said, /long after --stopped-at/);
  assert.equal(await statusOf(13_100), 'approved');
  assert.equal((await reconcile(...words)).voided, 1);
});

test('no billing is charged under the id of a charge of it that a person has voided', async () => {
  const [next] = await recovered.sql(`select billing_id from billings
    where state = 'opened' and subscription_id = '${told.left.subscriptionId}'`);
  const billingId = next?.billing_id as string;
  const voidedId = identifyCharge(billingId, 0);
  // Of another amount than it has now, so it does not pay it.
  await authorizeThere(simulator.url, merchantId, 4_600, { reference: voidedId, ofBilling: billingId });
  const done = await reconcile('--held-by-hand', '--since', since);
  assert.equal(done.undecided, 1, JSON.stringify(done));
  const voided = await decide(voidedId, 'voided');
  assert.equal(voided.code, 0, voided.said + voided.printed);
  await recovered.sql(`update billings set charge_on = now()::date - 1 where billing_id = '${billingId}'`);
  await until('it is paid', async () => {
    const [row] = await recovered.sql(`select state from billings where billing_id = '${billingId}'`);
    return row?.state === 'paid';
  });
  const statusOf = async (id: string) => (await ledger()).find(({ paymentId }) => paymentId === id)?.status;
  assert.deepEqual(
    [await statusOf(voidedId), await rowOf(voidedId), await statusOf(identifyCharge(billingId, 1))],
    ['undone', undefined, 'approved'],
  );
});

test('in a cell the lists of its own merchants are compared, and of those that are named', async () => {
  const cell = { PARCELA_CELL: 'a1' };
  const [ofOtherCell, created] = ['01799999999901', '01799999999902'];
  await authorizeThere(simulator.url, ofOtherCell, 15_000);
  await authorizeThere(simulator.url, created, 16_000);
  const words = ['--held-by-hand', '--since', since];
  const own = await reconcileWith(cell, ...words);
  assert.deepEqual([own.code, own.undecided, own.filled, own.voided], [0, 0, 0, 0], JSON.stringify(own));
  const named = await reconcileWith(cell, ...words, '--also-merchant', created);
  assert.deepEqual([named.code, named.undecided], [1, 1], JSON.stringify(named));
  assert.equal(named.seen, (own.seen as number) + 1);
  const [waiting] = (await listed()).items;
  assert.equal(waiting?.reason, 'unknownMerchant');
  const again = await reconcileWith(cell, ...words, '--also-merchant', created);
  assert.deepEqual([again.code, again.undecided], [1, 0], 'somebody is still waited for');
  await cancelThere(simulator.url, created, waiting.transactionId, 1_000);
  const voided = await decide(waiting.transactionId, 'voided');
  assert.match(voided.printed, /voids it no more/);
  const [claim] = await recovered.sql(
    `select claimed_as from restored_charges where transaction_id = '${waiting.transactionId}'`,
  );
  assert.equal(claim?.claimed_as, null, 'it can still be kept');
  const [left] = (await ledger(ofOtherCell)).map(({ status }) => status);
  assert.equal(left, 'approved');
});
