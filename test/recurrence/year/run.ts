import { parseArgs } from 'node:util';
import { startOwnServer } from '../../hostile/own-server.ts';
import { readBooks } from './books.ts';
import { drawSubscribers } from './cohorts.ts';
import { enrolAll } from './enrol.ts';
import { judge, summarize } from './judge.ts';
import { liveAYear } from './live.ts';
import { openYearShop } from './year-shop.ts';

const HELP = `npm run proof -- year, or node test/recurrence/year/run.ts [--subscriptions 1000] [--seed N]

Half of them pay by card and half by Pix Automático, in plans of every type, through a year by the test clock: cards that lack
funds or are lost, payers who agree, ignore, refuse, lack funds, end it. Then the billings as the API shows them are held
against the ledgers of the simulated acquirer and bank: nobody is charged twice, and each billing is paid once or explained.
1 when not.
`;

const MOST_PRINTED = 100;
/** Until what the last day has brought is told. */
const MOST_LOOKS = 12;
const PAUSE_MILLISECONDS = 5_000;

async function runYear(count: number, seed: number): Promise<string[]> {
  const say = (line: string) => console.log(`${Math.round(performance.now() / 1_000)} s  ${line}`);
  const shop = await openYearShop();
  try {
    const enrolled = await enrolAll(shop, drawSubscribers(count, seed));
    say(`${enrolled.length} subscriptions`);
    await liveAYear(shop, enrolled, say);
    for (let looks = 1; ; looks += 1) {
      const books = await readBooks(shop, enrolled);
      const complaints = judge(books);
      if (complaints.length > 0 && looks < MOST_LOOKS) {
        await new Promise((wake) => setTimeout(wake, PAUSE_MILLISECONDS));
        continue;
      }
      say(summarize(books));
      for (const line of shop.wentPast().slice(0, MOST_PRINTED)) console.log(line);
      return complaints;
    }
  } finally {
    await shop.close();
  }
}

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      subscriptions: { type: 'string', default: '1000' },
      seed: { type: 'string', default: '1' },
      help: { type: 'boolean', short: 'h' },
    },
  });
  const [count, seed] = [Number(values.subscriptions), Number(values.seed)];
  if (values.help || !(Number.isSafeInteger(count) && count > 0 && Number.isSafeInteger(seed))) {
    console.log(HELP);
    return values.help ? 0 : 1;
  }
  console.log(`seed ${seed}`);
  const stopServer = await startOwnServer();
  try {
    const complaints = await runYear(count, seed);
    console.log(`${complaints.length} complaints`);
    for (const text of complaints.slice(0, MOST_PRINTED)) console.log(`- ${text}`);
    return complaints.length > 0 ? 1 : 0;
  } finally {
    await stopServer();
  }
}

process.exitCode = await main();
