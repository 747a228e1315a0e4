import { runLedgerServer } from '../kit/ledger-server.ts';
import { PIX_PROGRAM } from './program.ts';

await runLedgerServer(PIX_PROGRAM);
