import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import pg from 'pg';
import { CALLBACK_ENDPOINT } from '../../src/transactions/movements/movement-deliveries.sql.ts';
import { callbackEndpoint } from '../../src/webhooks/deliveries/delivery.ts';
import { createTestDatabase, type TestDatabase } from '../kit/database.ts';

let database: TestDatabase;
let client: pg.Client;

before(async () => {
  database = await createTestDatabase({ migrated: false });
  client = new pg.Client(database.address);
  await client.connect();
});
after(async () => {
  await client.end();
  await database.drop();
});

/** As the statement of an outcome finds them. */
async function endpointsOf(urls: readonly string[]): Promise<string[]> {
  const { rows } = await client.query(
    `select ${CALLBACK_ENDPOINT} as endpoint from unnest($1::text[]) with ordinality as n (callback_url, place) order by place`,
    [urls],
  );
  return rows.map(({ endpoint }) => endpoint);
}

/** What a merchant may write and the program keeps: http or https, nobody's name and password in it. */
function keptOf(text: string): string[] {
  const url = URL.parse(text);
  if (url === null || url.username !== '' || url.password !== '' || !/^https?:$/.test(url.protocol))
    return [];
  return [url.href];
}

const STRANGE = [
  'https://loja.example',
  'HTTPS://LOJA.Example:443/A?b#c',
  'http://loja.example:80/',
  'http://loja.example:8080?x=//y/',
  'https://loja.example#a/b',
  'https:\\\\loja.example\\a',
  'https://[2001:db8::1]:8443/a',
  'https://[::ffff:1.2.3.4]/',
  'http://0x7f.1/',
  'https://ação.example/ç?é=%20',
  'https://loja.example./',
  'https:///loja.example//a',
  'https://loja.example/\n\t',
  'https://xn--ls8h.example/%2f?@a:b',
];

test('the server behind an address is the same to the database and to the program', async () => {
  const kept = STRANGE.flatMap(keptOf);
  assert.ok(kept.length >= 13, 'the strange ones are addresses');
  assert.deepEqual(await endpointsOf(kept), kept.map(callbackEndpoint));
  const parts = fc.tuple(
    fc.constantFrom('http://', 'https://', 'HTTP://', 'https:/', 'https:'),
    fc.oneof(
      fc.domain(),
      fc.ipV4(),
      fc.ipV6().map((address) => `[${address}]`),
      fc.string({ unit: 'grapheme' }),
    ),
    fc.oneof(
      fc.constant(''),
      fc.nat({ max: 65_535 }).map((port) => `:${port}`),
    ),
    fc.oneof(fc.webPath(), fc.string({ unit: 'grapheme' }), fc.constantFrom('?a/b', '#a?b/c', '\\a', '')),
  );
  const texts = fc.array(
    fc.oneof(
      fc.webUrl({ withFragments: true, withQueryParameters: true }),
      parts.map((all) => all.join('')),
    ),
    {
      minLength: 50,
      maxLength: 50,
    },
  );
  let seen = 0;
  await fc.assert(
    fc.asyncProperty(texts, async (written) => {
      // NUL and halves of characters never come so far.
      const urls = written.flatMap(keptOf);
      seen += urls.length;
      assert.deepEqual(await endpointsOf(urls), urls.map(callbackEndpoint));
    }),
  );
  assert.ok(seen > 1_000, `${seen} addresses were compared`);
});
