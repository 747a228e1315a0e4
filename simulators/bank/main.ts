import { runLedgerServer } from '../kit/ledger-server.ts';
import { BANK_PROGRAM } from './program.ts';

await runLedgerServer(BANK_PROGRAM);
