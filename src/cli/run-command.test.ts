import assert from 'node:assert/strict';
import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { NO_CHANNEL_FILES } from '../platform/channels/channel-files.ts';
import { HOME } from '../platform/home.ts';
import type { Database } from '../platform/postgres/database.ts';
import { DatabaseUnavailable } from '../platform/postgres/database-errors.ts';
import type { AuditedCommandTools } from './command.ts';
import { COMMANDS, runCommand } from './run-command.ts';

/** A database that must not be touched, or that is away. */
function away(): Promise<never> {
  return Promise.reject(new DatabaseUnavailable('connect ECONNREFUSED'));
}
const DATABASE: Database = {
  query: away,
  transaction: away,
  ping: away,
  close: async () => {},
};

async function run(...words: string[]) {
  const printed: string[] = [];
  const errors: string[] = [];
  const tools = {
    database: DATABASE,
    environment: 'homologation',
    cell: null,
    pagesOrigin: null,
    operator: { actor: 'ana', origin: 'here' },
    urlSettings: { environment: 'homologation', webhookNetworks: [], takesWebhooksOnLoopback: false },
    acquirer: {
      url: null,
      simulatorFolder: null,
      channel: NO_CHANNEL_FILES,
      timeoutMilliseconds: 1_000,
      captureDays: 5,
    },
    pix: {
      url: null,
      channel: NO_CHANNEL_FILES,
      settings: {},
      timeoutMilliseconds: 1_000,
      simulatorFolder: null,
    },
    report: () => {},
  } as const;
  const exitCode = await runCommand(words, {
    open: async () => tools,
    // A refusal before the audit needs no keys.
    openOwner: () => Promise.reject(new Error('no command here is the owner’s')),
    openAudited: async () => ({ ...tools, ...({} as Pick<AuditedCommandTools, 'keyring' | 'audit'>) }),
    openKeys: () => Promise.reject(new Error('the tests of the keys run the program itself')),
    openInstallation: () => {
      throw new Error('the tests of an installation run the program itself');
    },
    print: (line) => printed.push(line),
    printError: (line) => errors.push(line),
  });
  return { exitCode, printed: printed.join('\n'), errors: errors.join('\n') };
}

test('the help names every command, and for each all of its options', async () => {
  const all = await run('help');
  assert.equal(all.exitCode, 0);
  assert.match(all.printed, /^ {2}serve +run the service/m);
  for (const { words, options = [] } of COMMANDS) {
    assert.match(all.printed, new RegExp(`^ {2}${words.join(' ')} `, 'm'));
    const one = await run(...words, '--help');
    assert.equal(one.exitCode, 0);
    assert.deepEqual(await run('help', ...words), one);
    for (const { name } of options) assert.match(one.printed, new RegExp(`^ {2}--${name} `, 'm'));
    assert.match(one.printed, /--json/);
  }
});

test('every command that sentences of ours name is there', async () => {
  const groups = new Set(COMMANDS.map(({ words }) => words[0]));
  const isThere = (named: string) => COMMANDS.some(({ words }) => words.join(' ') === named);
  const missing: string[] = [];
  for await (const path of glob('src/**/*.{ts,json}', { cwd: HOME })) {
    // A sentence of a comment may go on in its next line.
    const text = (await readFile(join(HOME, path), 'utf8')).replaceAll(/\n *(\*|\/\/) /g, ' ');
    const lines = text.split('\n');
    for (const line of lines.filter((one) => !/_MARK = |key check value/.test(one))) {
      for (const [, group = '', rest = ''] of line.matchAll(/(?<=parcela )([a-z]+)( [a-z-]+)?/g)) {
        const isCommand = isThere(group) || isThere(group + rest);
        if (groups.has(group) && !isCommand) missing.push(`${path}: parcela ${group}${rest}`);
      }
    }
  }
  assert.deepEqual(missing, []);
});

test('no command at all is wrong usage and shows the help', async () => {
  const { exitCode, printed } = await run();
  assert.equal(exitCode, 2);
  assert.match(printed, /merchant create/);
});

test('an unknown command is refused', async () => {
  for (const words of [['merchant'], ['merchant', 'destroy'], ['help', 'nothing'], ['--json']]) {
    const { exitCode, errors } = await run(...words);
    assert.equal(exitCode, 2);
    assert.match(errors, /there is no command/);
  }
});

test('a wrong option is named, and its value is not repeated: it may be a secret', async () => {
  const { exitCode, errors } = await run('credential', 'rotate', '--user-name', 'loja', '--password=hunter2');
  assert.equal(exitCode, 2);
  assert.match(errors, /unknown option --password/);
  assert.doesNotMatch(errors, /hunter2/);
  const word = await run('credential', 'rotate', '--user-name', 'loja', 'hunter2');
  assert.equal(word.exitCode, 2);
  assert.doesNotMatch(word.errors, /hunter2/);
});

test('a command about one thing needs its id, once, and its help needs none', async () => {
  const id = '019ac5a2-7b1e-7d11-9c55-1f2e3d4c5b6a';
  const decide = ['resolve', 'decide', id, '--as', 'voided'];
  const cases: [string[], RegExp][] = [
    [['resolve', 'show'], /ID is required: resolve show ID/],
    [['resolve', 'show', 'payment-7'], /ID must be an id/],
    [['resolve', 'show', id, id], /a word stands where an option was expected/],
    [decide, /--reason is required/],
    [[...decide, '--reason', ''], /--reason needs a value/],
    [[...decide, '--reason', '  '], /--reason " {2}" must have 1 to 200 characters/],
    [[...decide, '--reason', 'x'.repeat(201)], /must have 1 to 200 characters/],
    [
      ['resolve', 'decide', id, '--as', 'approved', '--reason', 'r'],
      /have it refunded there, then decide voided/,
    ],
    [['resolve', 'list', '--limit', '1001'], /--limit "1001" must be 1 to 1000/],
    [['resolve', 'list', '--older-than', '-1'], /--older-than needs a value/],
  ];
  for (const [words, message] of cases) {
    const { exitCode, errors } = await run(...words);
    assert.equal(exitCode, 2, words.join(' '));
    assert.match(errors, message);
  }
  const help = await run('resolve', 'show', id, '--help');
  assert.equal(help.exitCode, 0);
  assert.match(help.printed, /resolve show ID \[options\]/);
});

test('missing, doubled and malformed values name their option', async () => {
  const cases: [string[], RegExp][] = [
    [['credential', 'disable'], /--user-name is required/],
    [['credential', 'disable', '--user-name'], /--user-name needs a value/],
    [['credential', 'disable', '--user-name', '--json'], /--user-name needs a value/],
    [['credential', 'disable', '--user-name='], /--user-name needs a value/],
    [['credential', 'disable', '--user-name', 'a', '--user-name', 'b'], /--user-name was given twice/],
    [
      ['credential', 'create', '--merchant', 'shop', '--scope', 'admin'],
      /--scope "admin" must be one of gateway/,
    ],
    [
      ['credential', 'rotate', '--user-name', 'a', '--overlap-hours', '1.5'],
      /--overlap-hours "1.5" must be a whole/,
    ],
    [['merchant', 'list', '--json=yes'], /--json takes no value/],
    [['merchant', 'list', '-x'], /unknown option -x/],
  ];
  for (const [words, message] of cases) {
    const { exitCode, errors } = await run(...words);
    assert.equal(exitCode, 2, words.join(' '));
    assert.match(errors, message);
  }
});

test('a refusal names the option and the value that caused it', async () => {
  const words = [
    'merchant',
    'create',
    '--cnpj',
    '11.222.333/0001-82',
    '--legal-name',
    'Padaria',
    '--account',
    '1',
  ];
  const contact = [
    '--contact-name',
    'Ana',
    '--contact-email',
    'ana@padaria.example',
    '--contact-phone',
    '+551140000000',
  ];
  const text = await run(...words, ...contact, '--merchant-id', 'shop');
  assert.equal(text.exitCode, 1);
  assert.match(text.errors, /^--cnpj "11.222.333\/0001-82": This is no CNPJ/);
  const json = await run(...words, ...contact, '--merchant-id', 'shop', '--json');
  assert.equal(json.exitCode, 1);
  assert.equal(JSON.parse(json.errors).error.option, '--cnpj');
});

test('a database that is away is said so', async () => {
  const { exitCode, errors } = await run('merchant', 'list');
  assert.equal(exitCode, 1);
  assert.match(errors, /the database cannot be reached/);
});
