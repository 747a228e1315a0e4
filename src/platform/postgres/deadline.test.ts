import assert from 'node:assert/strict';
import { test } from 'node:test';
import type pg from 'pg';
import { Deadline, NO_DEADLINE, serverTime, withServerTimes } from './deadline.ts';

function serverAhead(milliseconds: number) {
  let asked = 0;
  const query = async () => {
    asked += 1;
    return { rows: [{ now: Date.now() + milliseconds }] };
  };
  return { client: { query } as unknown as pg.PoolClient, asked: () => asked };
}

test("a deadline is an instant of the server's own clock, however far that is from ours, and never later", async () => {
  for (const minutes of [-7, 0, 7]) {
    const { client, asked } = serverAhead(minutes * 60_000);
    const before = Date.now();
    const at = Date.parse(await serverTime(client, new Deadline(performance.now() + 1_000)));
    const ahead = at - before - minutes * 60_000;
    assert.ok(ahead > 500 && ahead <= 1_000 + (Date.now() - before), `${ahead} ms ahead`);
    await serverTime(client, new Deadline(performance.now()));
    assert.equal(asked(), 1, 'a connection is asked once a minute');
  }
});

test('deadlines stand alone or in a list; other values stay as they are, and ask nobody', async () => {
  const { client, asked } = serverAhead(0);
  const plain = [1, null, ['a'], []];
  assert.equal(await withServerTimes(client, plain), plain);
  assert.equal(asked(), 0);
  const [one, list, text] = await withServerTimes(client, [NO_DEADLINE, [NO_DEADLINE, new Deadline(0)], 'a']);
  assert.deepEqual([one, (list as string[])[0], text], ['infinity', 'infinity', 'a']);
});
