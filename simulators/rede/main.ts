import { runLedgerServer } from '../kit/ledger-server.ts';
import { REDE_PROGRAM } from './program.ts';

await runLedgerServer(REDE_PROGRAM);
