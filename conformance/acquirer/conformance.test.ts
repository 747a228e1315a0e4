import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { promisify } from 'node:util';
import { ACQUIRER_PROGRAM } from '../../simulators/acquirer/program.ts';
import { startLedgerServer } from '../../simulators/kit/ledger-server.ts';
import { readLedgerSettings } from '../../simulators/kit/ledger-settings.ts';
import { temporaryFolder } from '../../simulators/kit/temporary-folder.ts';
import { checkPoint, checkPoints, type PointResult } from '../check-points.ts';
import { type Fault, openFaultyProgram } from '../faulty-program.ts';
import { openBench } from './open-bench.ts';
import { POINTS } from './points.ts';

const PROGRAM = join(import.meta.dirname, '../run.ts');
const OPTIONS = {
  ...{ merchantId: 'M1', otherMerchantId: 'M2', card: '4111111111111111', otherCard: '4012001037141112' },
  ...{ declinedAmount: 1_051, declinedCard: undefined, pendingAmount: 2_001 },
};

const MASTERCARDS = { ...OPTIONS, card: '5448280000000007', otherCard: '5155901222280001' };

/** In this process, and new for each test: what a list has to say grows with its ledger. */
async function openBridge(t: TestContext): Promise<string> {
  const settings = readLedgerSettings(['--data', temporaryFolder(t)]);
  if (typeof settings === 'string') throw new Error(settings);
  const { port, close } = await startLedgerServer(ACQUIRER_PROGRAM, settings, (error) => {
    throw error;
  });
  t.after(close);
  return `http://127.0.0.1:${port}`;
}

/** Runs the program as an operator does. */
async function runProgram(...words: string[]): Promise<{ code: number; said: string }> {
  const run = promisify(execFile)(process.execPath, [PROGRAM, ...words]);
  const { stdout, stderr, code } = await run.then(
    (said) => ({ ...said, code: 0 }),
    (error) => error as { stdout: string; stderr: string; code: number },
  );
  return { code, said: stdout + stderr };
}

async function pointsOf(url: string, options = OPTIONS): Promise<Record<PointResult['kind'], string[]>> {
  const found: Record<PointResult['kind'], string[]> = { passed: [], failed: [], skipped: [] };
  for await (const { kind, sentence } of checkPoints(POINTS, openBench(url, options)))
    found[kind].push(sentence);
  return found;
}

test('the simulator passes every point', async (t) => {
  const { code, said } = await runProgram('acquirer', '--url', await openBridge(t));
  assert.match(said, /\n\d\d passed, 0 failed, 0 skipped\n$/, said);
  assert.equal(code, 0);
});

test('so it does with Mastercards, whose link comes with an approval and goes back with a later use', async (t) => {
  const { failed, skipped } = await pointsOf(await openBridge(t), MASTERCARDS);
  assert.deepEqual([failed, skipped], [[], []]);
});

test('it may be run again on the same bridge', async (t) => {
  const url = await openBridge(t);
  for (let time = 1; time <= 2; time += 1) assert.deepEqual((await pointsOf(url)).failed, []);
});

test('a point that fails shows what was sent and what came, no card number, and ends with 1', async (t) => {
  const bridge = await openBridge(t);
  const url = await openFaultyProgram(t, bridge, async (asked, ask) => {
    const answer = await ask(asked);
    return answer.body.outcome === 'declined' ? { ...answer, status: 402 } : answer;
  });
  const { code, said } = await runProgram('acquirer', '--url', url);
  assert.equal(code, 1);
  assert.match(said, /FAILED {3}1\.5 a decline tells the code, is booked, and is told again\n/);
  assert.match(said, /expected {2}status 200, .*"outcome":"declined"/);
  assert.match(said, /sent {6}POST \/authorizations .*"number":"411111…1111"/);
  assert.match(said, /came {6}402 .*"responseCode":"51"/);
  assert.doesNotMatch(said, /4111111111111111/);
});

test('what cannot be run is not begun', async (t) => {
  const bridge = await openBridge(t);
  const real = await openFaultyProgram(t, bridge, async (asked, ask) => {
    const answer = await ask(asked);
    return asked.path === '/about' ? { ...answer, body: { ...answer.body, simulator: false } } : answer;
  });
  const refused = await runProgram('acquirer', '--url', real);
  assert.deepEqual([refused.code, /does not say that it is a simulator/.test(refused.said)], [2, true]);
  assert.equal((await runProgram('acquirer', '--url', real, '--real-money')).code, 0);
  assert.equal((await runProgram('acquirer')).code, 2);
  assert.equal((await runProgram('acquirer', '--url', bridge, '--planet', 'mars')).code, 2);
  const help = await runProgram('--help');
  assert.deepEqual([help.code, /--declined-amount/.test(help.said)], [0, true]);
});

test('what a bridge does not have is skipped by name', async (t) => {
  const url = await openFaultyProgram(t, await openBridge(t), (asked, ask) =>
    /^\/(changes|verifications)/.test(asked.path)
      ? Promise.resolve({ status: 404, body: { error: 'unknownPath' } })
      : ask(asked),
  );
  const { failed, skipped } = await pointsOf(url, { ...OPTIONS, declinedAmount: null as never });
  assert.deepEqual([failed, skipped.length], [[], 11]);
});

const ofPath = (path: string, fault: Fault): Fault => {
  return (asked, ask) => (asked.path.startsWith(path) ? fault(asked, ask) : ask(asked));
};
const changed = (path: string, change: (body: Record<string, unknown>) => object): Fault =>
  ofPath(path, async (asked, ask) => {
    const { status, body } = await ask(asked);
    return { status, body: { ...body, ...change(body) } };
  });
const unlike = (() => {
  let number = 0;
  return () => {
    number += 1;
    return String(number);
  };
})();

/** Bridges that are wrong in one way, and a point that says so. */
const FAULTS: readonly (readonly [string, Fault, string])[] = [
  [
    "loses Mastercard's link of an approval",
    changed('/charges/', () => ({ transactionLinkId: null })),
    'an approval tells code, NSU, network transaction and time, and can be asked for',
  ],
  [
    'numbers a repeated charge anew',
    changed('/authorizations', ({ nsu }) => (nsu === undefined ? {} : { nsu: unlike() })),
    'however often and however many at once, one reference is one charge and one answer',
  ],
  [
    'gives all charges one NSU',
    changed('/', ({ nsu }) => (nsu === undefined ? {} : { nsu: '7' })),
    'every approval has an NSU of its own',
  ],
  [
    'writes amounts in reais',
    changed('/authorizations', ({ amount }) => ({ amount: Number(amount) / 100 })),
    'an approval tells code, NSU, network transaction and time, and can be asked for',
  ],
  [
    'knows nothing of merchants',
    (asked, ask) =>
      ask({
        ...asked,
        path: asked.path.replace(/merchantId=[^&]*/, 'merchantId=one'),
        body: asked.body?.merchantId ? { ...asked.body, merchantId: 'one' } : asked.body,
      }),
    'a reference belongs to its merchant',
  ],
  [
    'acknowledges an undo and keeps no tombstone',
    ofPath('/undos', async (asked, ask) => {
      const { merchantId, reference } = asked.body ?? {};
      const found = await ask({
        method: 'GET',
        path: `/charges/${reference}?merchantId=${merchantId}`,
        body: null,
      });
      return found.status === 404 ? { status: 200, body: { reference, status: 'undone' } } : ask(asked);
    }),
    'an undo of a reference that was never seen makes a later authorization fail',
  ],
  [
    'says of an undo only that it was taken',
    changed('/undos', () => ({ status: 'accepted' })),
    'an undo undoes what was approved, and is acknowledged again',
  ],
  [
    'calls a declined charge undone',
    changed('/undos', ({ status }) => (status === 'declined' ? { status: 'undone' } : {})),
    'a declined charge stays declined when it is undone',
  ],
  [
    'cancels again what is sent again',
    ofPath('/cancellations', async (asked, ask) => {
      const own = asked.body?.cancellationReference;
      const sent = { ...asked.body, cancellationReference: `again-${unlike()}` };
      const { status, body } = await ask({ ...asked, body: sent });
      return { status, body: { ...body, cancellationReference: own } };
    }),
    'one cancellation that comes many times at once is done once',
  ],
  [
    'answers the amount and not the total of a cancellation',
    changed('/cancellations', ({ amount }) => (amount === undefined ? {} : { canceledAmount: amount })),
    'a charge is canceled in parts, each once, until nothing is left',
  ],
  [
    'does not read on from a cursor',
    ofPath('/changes', (asked, ask) => ask({ ...asked, path: asked.path.replace(/after=[^&]*/, 'after=0') })),
    'changes are read on from a cursor, page by page, and asking twice is answered alike',
  ],
  [
    'steps over what is behind until',
    ofPath('/changes', async (asked, ask) => {
      const answer = await ask(asked);
      return asked.path.includes('until=') ? { ...answer, body: { ...answer.body, next: 10_000 } } : answer;
    }),
    'nothing behind `until` is told, and nothing before it is stepped over',
  ],
  [
    'calls a pending cancellation done',
    changed('/cancellations', ({ outcome }) => (outcome === 'pending' ? { outcome: 'canceled' } : {})),
    'a cancellation that is pending holds its amount, gives nothing back yet, and is told again',
  ],
  [
    'writes fees in reais',
    ofPath('/changes', async (asked, ask) => {
      const { status, body } = await ask(asked);
      const items = (body.items ?? []) as Record<string, unknown>[];
      return { status, body: { ...body, items: items.map((item) => ({ ...item, fee: '0.25' })) } };
    }),
    'what a payout reports of its money is of its form',
  ],
  [
    'reports how many installments in words',
    changed('/about', () => ({ capabilities: { largestInstallments: 'twelve' } })),
    'it reports what its acquirer can do',
  ],
  [
    'leaves what was canceled out of its list',
    changed('/charges?', ({ items }) => ({
      items: (items as { canceledAmount: number }[]).filter(({ canceledAmount }) => canceledAmount === 0),
    })),
    'a list has each charge once, as it is now, with its cancellations, page by page',
  ],
  [
    'lists the charges of all merchants for one',
    ofPath('/charges?', (asked, ask) => ask({ ...asked, path: asked.path.replace(/&merchantId=[^&]*/, '') })),
    'the list of a merchant has no charge of another',
  ],
  [
    'checks a card by charging it',
    ofPath('/verifications', async (asked, ask) => {
      await ask({
        ...asked,
        path: '/authorizations',
        body: { ...asked.body, amount: 1, installments: 1, initiator: 'cardholder' },
      });
      return ask(asked);
    }),
    'a check of a card takes no money, and is told again',
  ],
  [
    'has one error for all',
    changed('/', ({ error }) => (error === undefined ? {} : { error: 'failed' })),
    'an unknown path is not mistaken for an unknown charge',
  ],
  [
    'fails where a charge is malformed',
    async (asked, ask) => {
      const answer = await ask(asked);
      return answer.status === 400 ? { ...answer, status: 500 } : answer;
    },
    'a malformed charge is refused with its first wrong field, and nothing is booked',
  ],
];

for (const [name, fault, sentence] of FAULTS) {
  test(`a bridge that ${name} does not pass`, async (t) => {
    const url = await openFaultyProgram(t, await openBridge(t), fault);
    const point = POINTS.find((one) => one.sentence === sentence);
    assert.ok(point !== undefined, sentence);
    const { kind, lines } = await checkPoint(point, openBench(url, MASTERCARDS));
    assert.equal(kind, 'failed', lines.join('\n'));
  });
}
