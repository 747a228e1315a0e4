import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Database } from '../../platform/postgres/database.ts';
import type { Acquirer, ChargesAnswer } from '../../providers/acquirers/acquirer.ts';
import { UNREAD_CAPABILITIES } from '../../providers/acquirers/adapters/bridge/about.ts';
import type { ListedCharge } from '../../providers/acquirers/listed-charge.ts';
import { instant } from '../../values/instant.ts';
import { findListing, listCharges, Stopped } from './list-charges.ts';

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

/** `listCharges`: its answer about its capability; null: it does not answer. */
function acquirerThat(listCharges: boolean | null): Acquirer {
  const capabilities = { ...UNREAD_CAPABILITIES, listCharges: listCharges === true };
  const unread: Pick<Acquirer, 'capabilities' | 'readCapabilities'> = {
    capabilities: () => UNREAD_CAPABILITIES,
    readCapabilities: async () =>
      listCharges === null
        ? { kind: 'unknown', reason: 'no answer' }
        : { kind: 'capabilities', changed: true, capabilities },
  };
  return unread as Acquirer;
}

function listingOf(said: Readonly<Record<string, boolean | null>>) {
  const acquirers = {
    all: () => Object.keys(said),
    of: (name: string) => acquirerThat(said[name] ?? null),
  };
  return findListing({ acquirers, acquirerTimeoutMilliseconds: 1 });
}

test('acquirers without a list are named, and the others walked', async () => {
  const { acquirers, unlisted } = await listingOf({ default: true, rede: false, beta: true, cielo: false });
  assert.deepEqual(
    [acquirers.all(), unlisted],
    [
      ['default', 'beta'],
      ['rede', 'cielo'],
    ],
  );
});

test('one that does not say whether it lists its charges stops the walk', async () => {
  await assert.rejects(listingOf({ default: null }), Stopped);
});
