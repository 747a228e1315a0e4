import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { ROLES } from '../../src/console/parts/user.ts';
import { ALL_ACTIONS, ALL_SCREENS } from '../../tools/console-pages.ts';
import { inDays } from '../boletos/boleto-service.ts';
import { createForeignMerchant, FOREIGN_MERCHANT } from '../kit/foreign-merchant.ts';
import { turnOf } from '../kit/patience.ts';
import { openTestService, type TestService, until } from '../kit/service.ts';
import { hiddenFields, signedIn, type Visitor } from './visitor.ts';

let service: TestService;
let merchantId: string;
before(async () => {
  service = await openTestService();
  ({ merchantId } = await service.demo());
});
after(() => service.close());

const addressOf = (path: string, merchant: string) =>
  `/console${path.replace('{merchantId}', merchant).replaceAll(/\{\w+\}/g, randomUUID())}`;

/** Any page of this visitor has the mark of its session. */
async function markOf(visitor: Visitor): Promise<string> {
  return hiddenFields((await visitor.turnTo('/console/nowhere')).text, '/console/sign-out').mark ?? '';
}

async function statusOf(visitor: Visitor, method: string, path: string, mark: string): Promise<number> {
  const text = 'a test of the matrix';
  const said = { role: 'viewer', reason: text, note: text, dueDate: inDays(5) };
  const form = { mark, once: randomUUID(), ...said };
  return until('it is not asked too fast', async () => {
    const { status } = await visitor.ask(path, method === 'POST' ? { form } : {});
    return status === 429 ? null : status;
  });
}

const SHOWN = [
  ...ALL_SCREENS.map((one) => ({ ...one, method: 'GET' })),
  ...ALL_SCREENS.filter(({ takesForm }) => takesForm === true).map((one) => ({ ...one, method: 'POST' })),
];
/** In their order: what one does another undoes. */
const DONE = ALL_ACTIONS.map((one) => ({ ...one, method: 'POST' }));
const ROUTES = [...SHOWN, ...DONE];

/** Of the two users with a role each asks for half of the pages, and one acts; in the proof each does all. */
const triedBy = (turn: number, index: number) => [
  ...turnOf(SHOWN, turn + index, 2),
  // So that who tries what is the operator's alone are a merchant's viewer, finance and administrator.
  ...turnOf([DONE], turn + index + 1, 2).flat(),
];

test('each role asks for every page, and acts', () => {
  for (const [turn, role] of ROLES.entries()) {
    const tried = new Set([...triedBy(turn, 0), ...triedBy(turn, 1)]);
    assert.deepEqual(new Set(ROUTES).difference(tried), new Set(), role);
  }
});

for (const [turn, role] of ROLES.entries()) {
  for (const [index, kind] of (['operator', 'merchant'] as const).entries()) {
    test(`a ${role} of a ${kind} sees and does what the matrix says, and nothing else`, async () => {
      const visitor = await signedIn(service, role, kind === 'operator' ? null : merchantId);
      const mark = await markOf(visitor);
      for (const { method, path, roles, of } of triedBy(turn, index)) {
        const status = await statusOf(visitor, method, addressOf(path, merchantId), mark);
        const may = roles.includes(role) && (of === 'merchant' || kind === 'operator');
        // An id that is made up is not found by those who may ask for it.
        const isMadeUp = path.replace('{merchantId}', '').includes('{');
        if (may && !isMadeUp && method === 'POST') assert.ok(status !== 403 && status < 500, path);
        else assert.equal(status, may ? (isMadeUp ? 404 : 200) : 403, `${method} ${path}`);
      }
    });
  }
}

test('pages of another merchant are not found, whatever the role', async () => {
  await createForeignMerchant(service.auditor, (await service.demo()).gateway.userName);
  const ofMerchants = ROUTES.filter(({ of }) => of === 'merchant');
  // Here each role tries its share of the routes, in the proof all of them.
  for (const [turn, role] of ROLES.entries()) {
    const visitor = await signedIn(service, role, merchantId);
    const mark = await markOf(visitor);
    for (const { method, path } of turnOf(ofMerchants, turn, ROLES.length)) {
      for (const other of [FOREIGN_MERCHANT, 'no-such-merchant']) {
        assert.equal(await statusOf(visitor, method, addressOf(path, other), mark), 404, `${method} ${path}`);
      }
    }
  }
});

const DAY_FIELDS = [
  ...['from', 'to', 'day', 'text', 'startDate', 'endDate', 'dateRangeStartDate', 'dateRangeEndDate'],
  ...['expirationDateRangeStartDate', 'expirationDateRangeEndDate'],
];

test('the first and the last day of the calendar can be asked for on every page', async () => {
  const visitor = await signedIn(service, 'admin', null);
  for (const day of ['1920-01-01', '9999-12-31']) {
    const query = new URLSearchParams(DAY_FIELDS.map((name) => [name, day]));
    for (const { path } of ALL_SCREENS) {
      const status = await statusOf(
        visitor,
        'GET',
        `${addressOf(path.replace('{day}', day), merchantId)}?${query}`,
        '',
      );
      assert.ok(status < 500, `${path} ${day}: ${status}`);
    }
  }
});
