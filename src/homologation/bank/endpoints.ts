import { callerOf, type Endpoint, endpoint } from '../../platform/http/endpoint.ts';
import { refusalAnswer } from '../../platform/http/refusal.ts';
import { BANK_BOLETOS, READ_RETURN_FILE, readReturnFileQuery } from './contract.ts';
import { readBankLedger } from './read-bank-ledger.ts';
import { type BankPaperTools, readReturnFile } from './read-return-file.ts';
import { BANK_PAPER_REFUSALS } from './refusals.ts';

export const BANK_PAPER_ENDPOINTS: readonly Endpoint<BankPaperTools>[] = [
  endpoint(BANK_BOLETOS, async ({ bankUrl }: BankPaperTools, call) => {
    const read = await readBankLedger(bankUrl, callerOf(call).merchantId, call.query);
    if (read.kind === 'refused') return refusalAnswer(BANK_PAPER_REFUSALS[read.refusal], call.language);
    return { status: 200, body: { items: read.paper } };
  }),
  endpoint(READ_RETURN_FILE, async (tools: BankPaperTools, call) => {
    const wanted = readReturnFileQuery(call.query);
    const read = await readReturnFile(tools, callerOf(call).merchantId, wanted);
    if (read.kind === 'refused') return refusalAnswer(BANK_PAPER_REFUSALS[read.refusal], call.language);
    const name = `CB${wanted.day.replaceAll('-', '')}.RET`;
    return {
      status: 200,
      text: { content: read.paper, type: 'text/plain; charset=us-ascii' },
      headers: { 'content-disposition': `attachment; filename="${name}"` },
    };
  }),
];
