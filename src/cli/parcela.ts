import { nodeFault } from '../platform/node-version.ts';
import { EXIT_REFUSED } from './run-command.ts';
import { runParcela } from './run-parcela.ts';

const printers = {
  print: (line: string) => console.log(line),
  printError: (line: string) => console.error(line),
};

async function run(): Promise<number> {
  const unfit = nodeFault();
  if (unfit === null) return runParcela(process.argv.slice(2), process.env, printers);
  printers.printError(unfit);
  return EXIT_REFUSED;
}

const exitCode = await run();
// A pipe must be written out before the process ends.
process.stdout.write('', () => process.exit(exitCode));
