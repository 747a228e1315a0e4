import assert from 'node:assert/strict';
import fs from 'node:fs';
import { type TestContext, test } from 'node:test';
import { FieldReader } from '../kit/field-reader.ts';
import { Ledger, openLedgerFile } from '../kit/ledger.ts';
import { temporaryFolder } from '../kit/temporary-folder.ts';
import { Acquirer, type Respond } from './acquirer.ts';
import type { Answer } from './answers.ts';
import { Charges } from './charges.ts';
import { entryOfLine } from './entries.ts';
import { readAuthorization } from './requests.ts';
import { authorization } from './running-simulator.ts';
import type { Fault } from './script-step.ts';
import { Scripts } from './scripts.ts';

type Responded = { readonly answer: Answer; readonly fault: Fault | null };

function acquirerOf(t: TestContext, clock = () => 0) {
  const folder = temporaryFolder(t);
  const file = openLedgerFile(folder, () => {});
  t.after(() => fs.closeSync(file));
  const charges = new Charges();
  const ledger = new Ledger(file, true, (error) => {
    throw error;
  });
  return { folder, charges, acquirer: new Acquirer(charges, ledger, new Scripts(), clock) };
}

function request(reference: string, changed: object = {}) {
  return readAuthorization(new FieldReader(authorization(reference, changed)), 'atOnce');
}

function responded(act: (respond: Respond) => void): Promise<Responded> {
  return new Promise((resolve) => act((answer, fault) => resolve({ answer, fault })));
}

test('an approval that is voided before it is on the disk is not answered as one', async (t) => {
  const { acquirer } = acquirerOf(t);
  const undo = { merchantId: 'M1', reference: 'a' };
  const [authorized, repeated, undone] = await Promise.all([
    responded((respond) => acquirer.authorize(request('a'), respond)),
    responded((respond) => acquirer.authorize(request('a'), respond)),
    responded((respond) => acquirer.undo(undo, respond)),
  ]);
  assert.deepEqual(authorized.answer.body, { error: 'undone' });
  assert.deepEqual(repeated.answer.body, { error: 'undone' });
  assert.deepEqual(undone.answer.body, { reference: 'a', status: 'undone' });
});

test('nothing is answered before its line can be read back from the file', async (t) => {
  const { acquirer, folder } = acquirerOf(t);
  await responded((respond) => acquirer.authorize(request('a'), respond));
  const [line = ''] = fs.readFileSync(`${folder}/ledger.jsonl`, 'utf8').split('\n');
  assert.equal(entryOfLine(line)?.reference, 'a');
});

test('a silent charge is not booked, however often it comes', async (t) => {
  const { acquirer, charges } = acquirerOf(t);
  for (let time = 1; time <= 2; time += 1) {
    const { fault } = await responded((respond) =>
      acquirer.authorize(request('a', { amount: 1_001 }), respond),
    );
    assert.equal(fault, 'silent');
  }
  assert.equal(charges.charge('M1', 'a'), undefined);
});

test('time in the ledger does not go back with the clock', async (t) => {
  let now = 2_000;
  const { acquirer, charges } = acquirerOf(t, () => now);
  await responded((respond) => acquirer.authorize(request('a'), respond));
  now = 1_000;
  await responded((respond) => acquirer.authorize(request('b'), respond));
  assert.equal(charges.charge('M1', 'b')?.at, 2_000);
});

test('authorization codes do not repeat', async (t) => {
  const { acquirer, charges } = acquirerOf(t);
  const all = Array.from({ length: 3_000 }, (_, index) =>
    responded((respond) => acquirer.authorize(request(`r${index}`), respond)),
  );
  await Promise.all(all);
  const codes = new Set(
    charges.inOrder.map(({ decision }) => decision.outcome === 'approved' && decision.authorizationCode),
  );
  assert.equal(codes.size, 3_000);
});
