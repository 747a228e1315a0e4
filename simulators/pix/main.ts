import { runLedgerServer } from '../kit/ledger-server.ts';
import { pixProgram } from './program.ts';
import { takeTls } from './tls-files.ts';

const tls = takeTls(process.argv);
if (typeof tls === 'string') {
  process.stderr.write(`parcela-pix-simulator: ${tls}\n`);
  process.exit(1);
}
await runLedgerServer(pixProgram(tls));
