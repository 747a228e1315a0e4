import { callerOf, type Endpoint, endpoint } from '../../platform/http/endpoint.ts';
import { refusalAnswer } from '../../platform/http/refusal.ts';
import { READ_ACQUIRER_FILE, readFileQuery } from './contract.ts';
import { type FileTools, readAcquirerFile } from './read-acquirer-file.ts';
import { FILE_REFUSALS } from './refusals.ts';

export const FILE_ENDPOINTS: readonly Endpoint<FileTools>[] = [
  endpoint(READ_ACQUIRER_FILE, async (tools: FileTools, call) => {
    const file = await readAcquirerFile(tools, callerOf(call).merchantId, readFileQuery(call.query));
    if (file.kind === 'refused') return refusalAnswer(FILE_REFUSALS[file.refusal], call.language);
    return {
      status: 200,
      text: { content: file.content, type: 'text/plain; charset=us-ascii' },
      headers: { 'content-disposition': `attachment; filename="${file.name}"` },
    };
  }),
];
