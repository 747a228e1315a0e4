import assert from 'node:assert/strict';
import { closeSync } from 'node:fs';
import { type TestContext, test } from 'node:test';
import fc from 'fast-check';
import { dayAfter, daysBetween, saoPauloDayOf } from '../kit/days.ts';
import { Ledger, openLedgerFile } from '../kit/ledger.ts';
import { temporaryFolder } from '../kit/temporary-folder.ts';
import type { Answer } from './answers.ts';
import { Bank } from './bank.ts';
import { Books, givenBack } from './books.ts';
import { cycleOf } from './cycles.ts';
import { entryOfLine } from './entries.ts';
import { statusOf } from './recurrence.ts';
import { route } from './routes.ts';
import { cob, cobr, KEY, rec } from './running-simulator.ts';
import { Scripts } from './scripts.ts';
import { Tokens } from './tokens.ts';
import { WebhookSender } from './webhook-sender.ts';

const START = Date.parse('2027-02-01T12:00:00Z');
const DAY_MILLISECONDS = 86_400_000;
const txidOf = (index: number) => `T${String(index).padStart(31, '0')}`;

function booksOf(folder: string): { books: Books; file: number } {
  const books = new Books();
  const file = openLedgerFile(folder, (line, number) => {
    const entry = entryOfLine(line);
    assert.ok(entry !== null, `line ${number}: ${line}`);
    books.apply(entry);
  });
  return { books, file };
}

/** A bank in this process with one client, asked as over HTTP. */
function openBank(t: TestContext) {
  const folder = temporaryFolder(t);
  const { books, file } = booksOf(folder);
  const ledger = new Ledger(file, false, assert.fail);
  const clock = () => START;
  const beside = {
    scripts: new Scripts(),
    tokens: new Tokens(clock),
    sender: new WebhookSender(null),
    clock,
  };
  const bank = new Bank(books, ledger, beside);
  const ask = (method: string, url: string, body: unknown = null, authorization?: string): Promise<Answer> =>
    new Promise((resolve) => {
      const text = typeof body === 'string' ? body : JSON.stringify(body);
      route(bank, { method, url, authorization, now: undefined, body: text }, (answer) => resolve(answer));
    });
  const order = (path: string, body: object) => ask('POST', `/simulator${path}`, body);
  const login = async () => {
    const form = 'grant_type=client_credentials&client_id=M1&client_secret=x';
    const { access_token } = (await ask('POST', '/oauth/token', form)).body as Record<string, string>;
    const call = (method: string, path: string, body?: object) =>
      ask(method, `/api/v2${path}`, body ?? null, `Bearer ${access_token}`);
    return call;
  };
  return { books, folder, order, login, close: () => ledger.close() };
}

type Opened = ReturnType<typeof openBank>;

/** What a new bank makes of the ledger's file is what this one knows. */
async function checkReread({ books, folder, close }: Opened): Promise<void> {
  await new Promise(setImmediate);
  await new Promise(setImmediate);
  const again = booksOf(folder);
  closeSync(again.file);
  assert.deepEqual(again.books.receivers, books.receivers);
  close();
}

const index = fc.nat({ max: 2 });
const cents = fc.integer({ min: 1, max: 12_000 });
const reais = (amount: number) => `${Math.floor(amount / 100)}.${String(amount % 100).padStart(2, '0')}`;

const step = fc.oneof(
  fc.record({ do: fc.constant('charge' as const), index, amount: cents }),
  fc.record({ do: fc.constant('remove' as const), index }),
  fc.record({ do: fc.constant('pay' as const), index, amount: fc.option(cents), isForced: fc.boolean() }),
  fc.record({
    do: fc.constant('giveBack' as const),
    index,
    id: fc.constantFrom('A', 'B', 'C'),
    amount: cents,
  }),
  fc.record({ do: fc.constant('takeBack' as const), index, amount: fc.option(cents) }),
  fc.record({
    do: fc.constant('refundScript' as const),
    refund: fc.constantFrom('fails', 'waits', 'settles'),
  }),
);

test('by any history no more is given back than came, and what was removed stays so', async (t) => {
  const history = fc.array(step, { minLength: 25, maxLength: 25 });
  const run = async (steps: readonly (typeof step extends fc.Arbitrary<infer S> ? S : never)[]) => {
    const bank = openBank(t);
    const ask = await bank.login();
    const receiver = bank.books.receiver('M1');
    const pixOf = (at: number) => receiver?.pix[at % Math.max(receiver.pix.length, 1)]?.endToEndId;
    const removed = new Set<string>();
    for (const one of steps) {
      const txid = 'index' in one ? txidOf(one.index) : '';
      const endToEndId = 'index' in one ? pixOf(one.index) : undefined;
      if (one.do === 'charge')
        await ask('PUT', `/cob/${txid}`, cob({ valor: { original: reais(one.amount) } }));
      else if (one.do === 'remove') {
        const { status } = await ask('PATCH', `/cob/${txid}`, { status: 'REMOVIDA_PELO_USUARIO_RECEBEDOR' });
        if (status === 200) removed.add(txid);
      } else if (one.do === 'pay') {
        const amount = one.amount === null ? {} : { amount: reais(one.amount) };
        await bank.order('/payments', { clientId: 'M1', txid, ...amount, force: one.isForced });
      } else if (one.do === 'refundScript') {
        const steps = [{ refund: one.refund }];
        await bank.order('/script', { clientId: 'M1', on: 'PUT /pix/devolucao', steps });
      } else if (endToEndId === undefined) await bank.order('/payments', { chave: KEY, amount: '50.00' });
      else if (one.do === 'giveBack')
        await ask('PUT', `/pix/${endToEndId}/devolucao/${one.id}`, { valor: reais(one.amount) });
      else
        await bank.order('/taken-back', {
          endToEndId,
          ...(one.amount === null ? {} : { amount: reais(one.amount) }),
        });
    }
    for (const pix of receiver?.pix ?? []) assert.ok(givenBack(pix) <= pix.amount);
    for (const charge of receiver?.charges.values() ?? []) {
      const isPaid = charge.pix.length > 0;
      const expected = removed.has(charge.txid)
        ? 'REMOVIDA_PELO_USUARIO_RECEBEDOR'
        : isPaid
          ? 'CONCLUIDA'
          : 'ATIVA';
      assert.equal(charge.status, expected);
    }
    await checkReread(bank);
  };
  await fc.assert(fc.asyncProperty(history, run), { numRuns: 40 });
});

const upTo = (most: number, least = 0) => fc.noBias(fc.integer({ min: least, max: most }));
const recStep = fc.oneof(
  { weight: 5, arbitrary: fc.record({ do: fc.constant('charge' as const), days: upTo(20) }) },
  { weight: 6, arbitrary: fc.record({ do: fc.constant('retry' as const), index: upTo(1), days: upTo(4) }) },
  { weight: 6, arbitrary: fc.record({ do: fc.constant('wait' as const), days: upTo(6, 1) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('payer' as const),
      plan: fc.constantFrom('pays', 'lacksFunds', 'ignores'),
      times: upTo(4, 1),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('reject' as const), code: fc.constantFrom('AC05', 'AC06') }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('cancel' as const), index: upTo(1) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('end' as const), chance: upTo(9) }) },
);
type RecStep = typeof recStep extends fc.Arbitrary<infer S> ? S : never;

async function go(bank: Opened, steps: readonly RecStep[]): Promise<void> {
  const ask = await bank.login();
  const { body } = await ask(
    'POST',
    '/rec',
    rec({ calendario: { dataInicial: '2027-02-01', periodicidade: 'MENSAL' } }),
  );
  const { idRec } = body as { idRec: string };
  await bank.order('/authorizations', { idRec, act: 'accept' });
  let at = START;
  const today = () => saoPauloDayOf(at);
  for (const one of steps) {
    const made = [...(bank.books.receiver('M1')?.recurrences.cobrs.keys() ?? [])];
    const txid = 'index' in one ? (made.at(-1 - one.index) ?? txidOf(0)) : '';
    if (one.do === 'charge')
      await ask('PUT', `/cobr/${txidOf(made.length)}`, cobr(idRec, dayAfter(today(), one.days)));
    else if (one.do === 'retry')
      await ask('POST', `/cobr/${txid}/retentativa/${dayAfter(today(), one.days)}`);
    else if (one.do === 'cancel') await ask('PATCH', `/cobr/${txid}`, { status: 'CANCELADA' });
    else if (one.do === 'wait') {
      at += one.days * DAY_MILLISECONDS;
      await bank.order('/clock', { clientId: 'M1', now: new Date(at).toISOString() });
    } else if (one.do === 'payer')
      await bank.order('/payers', {
        idRec,
        steps: Array.from({ length: one.times }, () => ({ plan: one.plan })),
      });
    else if (one.do === 'reject')
      await bank.order('/payers', { idRec, steps: [{ plan: 'rejects', code: one.code }] });
    else if (one.chance === 0) await bank.order('/authorizations', { idRec, act: 'cancel' });
  }
}

test('by any history a recurring charge is paid once at most, in its cycle and its days', async (t) => {
  const run = async (steps: RecStep[]) => {
    const bank = openBank(t);
    await go(bank, steps);
    const { recurrences } = bank.books.receiver('M1') ?? assert.fail('there is no receiver');
    const cycles: number[] = [];
    for (const one of recurrences.cobrs.values()) {
      const { dataDeVencimento } = one.content.calendario;
      const paid = one.attempts.filter((attempt) => statusOf(attempt) === 'PAGA');
      const open = one.attempts.filter((attempt) => ['SOLICITADA', 'AGENDADA'].includes(statusOf(attempt)));
      const status = statusOf(one);
      assert.equal(one.pix.length, paid.length);
      assert.equal(status === 'CONCLUIDA', paid.length === 1);
      assert.ok(paid.length + open.length <= 1 && one.attempts.length <= 4);
      if (!['CRIADA', 'ATIVA'].includes(status)) assert.equal(open.length, 0);
      for (const { on } of one.attempts.slice(1)) {
        const behind = daysBetween(dataDeVencimento, on);
        assert.ok(behind > 0 && behind <= 7, `a retry on ${on} of ${dataDeVencimento}`);
      }
      for (const { history } of [one, ...one.attempts])
        for (const [place, { at }] of history.entries()) assert.ok(at >= (history[place - 1]?.at ?? 0));
      if (!['REJEITADA', 'CANCELADA'].includes(status))
        cycles.push(cycleOf('MENSAL', '2027-02-01', dataDeVencimento));
    }
    assert.equal(new Set(cycles).size, cycles.length, 'one live charge of each cycle');
    await checkReread(bank);
  };
  await fc.assert(fc.asyncProperty(fc.array(recStep, { minLength: 40, maxLength: 40 }), run), {
    numRuns: 60,
  });
});
