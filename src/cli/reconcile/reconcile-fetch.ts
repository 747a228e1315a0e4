import { open, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { RedeStatementWriter } from '#settlement-files';
import { NO_CHANNEL_FILES } from '../../platform/channels/channel-files.ts';
import { openChannel } from '../../platform/channels/open-channel.ts';
import { fetchDeposits } from '../../providers/acquirers/adapters/rede/fetch-deposits.ts';
import {
  NoStatement,
  type StatementCredentials,
  StatementWire,
} from '../../providers/acquirers/adapters/rede/statement-wire.ts';
import { ACQUIRER_CONNECT_MILLISECONDS } from '../../providers/acquirers/open-acquirer.ts';
import { addDays, type Day, instant, saoPauloDay } from '../../values/instant.ts';
import { type Command, type CommandOutcome, dayCheck, matching, option, required } from '../command.ts';
import { isFolder } from '../option-files.ts';

const URL_OF_REDE = 'https://api.userede.com.br/redelabs';
/** Rede answers for 31 days at a time. */
const MOST_DAYS = 31;
const PV = /^\d{1,9}$/;

export const RECONCILE_FETCH: Command = {
  words: ['reconcile', 'fetch'],
  summary: "write what Rede's statement API says of days into files that are taken as its own files are",
  options: [
    required('--establishment PV', "the merchant's number at Rede", {
      check: matching(PV, 'must have 1 to 9 digits'),
    }),
    required(
      '--credentials-file FILE',
      'JSON with clientId and clientSecret of the project at Rede, and user and password where it asks for them',
    ),
    required(
      '--to FOLDER',
      'where the files go: that of PARCELA_SETTLEMENT_FOLDER, whose files are taken by themselves',
    ),
    option('--day DAY', `a day that is over, as 2026-12-14; default: yesterday; up to ${MOST_DAYS}`, {
      isRepeatable: true,
      check: dayCheck,
    }),
    option('--url URL', `the API; default: ${URL_OF_REDE}`, { check: urlFault }),
    option('--token-url URL', 'where it gives tokens; default: /oauth2/token below --url', {
      check: urlFault,
    }),
    option('--ca-file FILE', 'the authorities to trust; default: public ones'),
  ],
  opens: 'installation',
  async run(given, tools) {
    const refused = (option: string, message: string): CommandOutcome => ({
      option: `--${option}`,
      message: `--${option}: ${message}`,
    });
    const url = given.one('url') ?? URL_OF_REDE;
    const days = daysOf(given.many('day'), url === URL_OF_REDE);
    if (typeof days === 'string') return refused('day', days);
    const credentials = await readCredentials(given.one('credentials-file') ?? '');
    if (typeof credentials === 'string') return refused('credentials-file', credentials);
    const folder = given.one('to') ?? '';
    if (!(await isFolder(folder))) return refused('to', `${folder} is no folder`);
    const authority = given.one('ca-file');
    const files = {
      ...NO_CHANNEL_FILES,
      authority: authority === null ? null : { setting: '--ca-file', path: authority },
    };
    const options = { connectTimeoutMilliseconds: ACQUIRER_CONNECT_MILLISECONDS, onFault: () => {} };
    const channel = await openChannel(files, options);
    const tokenUrl = given.one('token-url') ?? `${url.replace(/\/$/, '')}/oauth2/token`;
    const wire = new StatementWire(url, tokenUrl, channel, credentials);
    const written: Written[] = [];
    try {
      for (const day of days)
        written.push(await fetchDay(wire, given.one('establishment') ?? '', day, folder));
    } catch (error) {
      if (!(error instanceof NoStatement || error instanceof RangeError)) throw error;
      for (const line of linesOf(written)) tools.report(line);
      return { option: null, message: `no file was written of ${days[written.length]}: ${error.message}` };
    } finally {
      await wire.close();
      channel.close();
    }
    return { lines: linesOf(written), json: { files: written } };
  },
};

function urlFault(value: string): string | null {
  return /^https?:$/.test(URL.parse(value)?.protocol ?? '') ? null : 'must be an address such as https://…';
}

/** The days to fetch, or as a text what is wrong with them. A simulated Rede has days of its own. */
function daysOf(given: readonly string[], isReal: boolean): readonly Day[] | string {
  const today = saoPauloDay(instant(Date.now()));
  const days = given.length === 0 ? [addDays(today, -1)] : [...new Set(given as readonly Day[])].sort();
  if (days.length > MOST_DAYS) return `${MOST_DAYS} days at most`;
  const early = days.find((day) => isReal && day >= today);
  return early === undefined ? days : `${early} is not over yet`;
}

/** The credentials, or as a text what is wrong with them, without any of the content. */
async function readCredentials(path: string): Promise<StatementCredentials | string> {
  const content = await readFile(path, 'utf8').catch(() => null);
  if (content === null) return `${path} cannot be read`;
  let fields: Readonly<Record<string, unknown>>;
  try {
    fields = Object(JSON.parse(content));
  } catch {
    return `${path} is no JSON`;
  }
  const { clientId, clientSecret, user, password } = fields;
  const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';
  if (!isText(clientId) || !isText(clientSecret)) return `${path} has no clientId or no clientSecret`;
  if (user === undefined && password === undefined) return { clientId, clientSecret, user: null };
  if (!isText(user) || !isText(password)) return `${path} has user or password alone`;
  return { clientId, clientSecret, user: { name: user, password } };
}

type Written = {
  readonly path: string;
  readonly day: Day;
  readonly deposits: number;
  readonly lines: number;
};

/** Written whole or not at all: watchers of the folder ignore names of unfinished files. */
async function fetchDay(
  wire: StatementWire,
  establishment: string,
  day: Day,
  folder: string,
): Promise<Written> {
  const path = join(folder, `rede-statement_${establishment}_${day}.txt`);
  const unfinished = join(folder, `.rede-statement_${establishment}_${day}.${process.pid}.part`);
  const file = await open(unfinished, 'w', 0o640);
  const writer = new RedeStatementWriter(establishment, day);
  let [deposits, lines] = [0, 2];
  try {
    await file.write(`${writer.header()}\r\n`);
    for await (const deposit of fetchDeposits(wire, establishment, day)) {
      const written = writer.deposit(deposit);
      deposits += 1;
      lines += written.length;
      await file.write(written.map((line) => `${line}\r\n`).join(''));
    }
    await file.write(`${writer.trailer()}\r\n`);
    await file.sync();
    await file.close();
    await rename(unfinished, path);
  } catch (error) {
    await file.close().catch(() => {});
    await rm(unfinished, { force: true });
    throw error;
  }
  return { path, day, deposits, lines };
}

function linesOf(written: readonly Written[]): string[] {
  return written.map(({ path, deposits, lines }) => `${path}: ${deposits} deposits, ${lines} lines.`);
}
