import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shortReference } from '../../src/providers/acquirers/short-reference.ts';
import { databaseSettings, openTestProcess, startService, until } from '../kit/service.ts';
import { withAcquirer } from './acquirer-service.ts';

/** A process that is killed between the request of a charge and its answer leaves nothing live. */

const SETTINGS = {
  PARCELA_ACQUIRER_TIMEOUT_MILLISECONDS: '3000',
  PARCELA_REQUEST_DEADLINE_MILLISECONDS: '6000',
  PARCELA_CHARGES_AT_ONCE: '0',
};

const SIMULATOR = ['--last-digit', '0', '--replica-lag-milliseconds', '100'];

test('a charge at Cielo whose process was killed before the answer is voided by the next', async () => {
  const settings = ['horizonSeconds=1', 'apartSeconds=1'];
  const killed = await openTestProcess(SETTINGS);
  const acquirer = await withAcquirer('cielo', killed, { settings, simulator: SIMULATOR });
  try {
    await acquirer.waitForNoon();
    await acquirer.script({ on: 'authorize', fault: 'booksButSilent' });
    const paid = acquirer.pay(12_345).catch(() => null);
    const id = await until('it is being charged', async () => {
      const [row] = await killed.auditor.query(
        "select transaction_id from transactions where amount = 12345 and state = 'charging'",
      );
      return row === undefined ? null : String(row.transaction_id);
    });
    await until('it is booked', async () => (await acquirer.booked(id)).length === 1);
    await killed.kill();
    await paid;
    const next = await startService({
      folder: killed.folder,
      settings: { ...databaseSettings(killed.database), ...SETTINGS },
    });
    try {
      await until(
        'it is voided',
        async () => {
          const [row] = await killed.auditor.query(
            'select state from transactions where transaction_id = $1',
            [id],
          );
          return row?.state === 'voided';
        },
        60_000,
      );
      const booked = await acquirer.booked(id);
      assert.deepEqual(
        booked.map(({ reference, liveAmount }) => [reference, liveAmount]),
        [[shortReference(id), 0]],
      );
    } finally {
      await next.stop();
    }
  } finally {
    await acquirer.close();
  }
});
