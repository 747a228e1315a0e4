// Takes one file, as a process of its own that a test can kill: `take-file.ts FILE DATABASE KEY_FILE`.
import { openDatabase } from '../../src/platform/postgres/database.ts';
import { importSettlementFile } from '../../src/reconciliation/imports/import-settlement-file.ts';
import { auditedTools, rememberKeyFile } from '../kit/keys.ts';

const [path = '', name = '', keyFile = ''] = process.argv.slice(2);
rememberKeyFile(name, keyFile);
const pool = openDatabase(process.env.DATABASE_URL ?? '', () => {});
const audited = await auditedTools(pool);
await importSettlementFile({ ...audited, report: () => {}, notify: () => {} }, path, audited.operator);
await pool.close();
