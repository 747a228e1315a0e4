import { runLedgerServer } from '../kit/ledger-server.ts';
import { ACQUIRER_PROGRAM } from './program.ts';

await runLedgerServer(ACQUIRER_PROGRAM);
