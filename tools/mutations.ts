import { parseArgs } from 'node:util';
import { MUTATIONS } from './mutations/mutations.ts';
import { runTries } from './mutations/run-tries.ts';

const HELP = `npm run proof -- mutations, or: node tools/mutations.ts [PART-OF-A-NAME...]

Makes small mistakes in a copy of the sources, one at a time, and runs the file of npm test that is to find
each. The last line counts them; one that is not found gives exit code 1.
PARCELA_TEST_DATABASE_URL=postgres://user:password@host:port/database names another PostgreSQL.
`;

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { help: { type: 'boolean', short: 'h' } },
  });
  const chosen = MUTATIONS.filter(
    ({ name, caughtBy }) =>
      positionals.length === 0 || positionals.some((part) => name.includes(part) || caughtBy.includes(part)),
  );
  if (values.help || chosen.length === 0) {
    console.log(HELP);
    return values.help ? 0 : 1;
  }
  const tries = chosen.map(({ name, file, find, put, caughtBy }) => {
    return { name, edits: [{ file, find, put }], file: caughtBy };
  });
  return (await runTries(tries, (line) => console.log(line))) > 0 ? 1 : 0;
}

process.exitCode = await main();
