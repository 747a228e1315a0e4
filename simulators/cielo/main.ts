import { runLedgerServer } from '../kit/ledger-server.ts';
import { CIELO_PROGRAM } from './program.ts';

await runLedgerServer(CIELO_PROGRAM);
