import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Database } from '../../platform/postgres/database.ts';
import type { Acquirer, ChargesAnswer } from '../../providers/acquirers/acquirer.ts';
import type { ListedCharge } from '../../providers/acquirers/listed-charge.ts';
import { instant } from '../../values/instant.ts';
import { listCharges } from './list-charges.ts';

/** Lists these references, one a page. */
function acquirerWith(...references: string[]): Acquirer {
  const listed: Pick<Acquirer, 'listCharges'> = {
    async listCharges({ cursor }): Promise<ChargesAnswer> {
      const at = cursor === null ? 0 : Number(cursor);
      const charges = references.slice(at, at + 1).map((reference) => ({ reference }) as ListedCharge);
      return { kind: 'charges', charges, cursor: String(at + 1), hasMore: at + 1 < references.length };
    },
  };
  return listed as Acquirer;
}

test('the lists of all acquirers are one, each charge under the name of its own, from any place on', async () => {
  const all = new Map([
    ['default', acquirerWith('a', 'b')],
    ['empty', acquirerWith()],
    ['beta', acquirerWith('c')],
  ]);
  const acquirers = { all: () => [...all.keys()], of: (name: string) => all.get(name) as Acquirer };
  const tools = { database: {} as Database, acquirers, acquirerTimeoutMilliseconds: 1 };
  const asked = { since: instant(1), ofCell: null };
  const seen: string[] = [];
  const places = [];
  for await (const { charges, behind } of listCharges(tools, asked)) {
    seen.push(...charges.map(({ acquirer, reference }) => `${acquirer}/${reference}`));
    places.push(behind);
  }
  assert.deepEqual(seen, ['default/a', 'default/b', 'beta/c']);
  const [, second] = places;
  const rest: string[] = [];
  for await (const { charges } of listCharges(tools, asked, second))
    rest.push(...charges.map(({ reference }) => reference));
  assert.deepEqual(rest, ['c']);
});
