import { callerOf, type Endpoint, endpoint } from '../../platform/http/endpoint.ts';
import { refusalAnswer } from '../../platform/http/refusal.ts';
import { changeAcquirerScript, type ScriptTools } from './change-acquirer-script.ts';
import { CHANGE_SCRIPT, READ_SCRIPT, readScriptRequest, writeScript } from './contract.ts';
import { readAcquirerScript } from './read-acquirer-script.ts';
import { SCRIPT_REFUSALS } from './refusals.ts';

export const SCRIPT_ENDPOINTS: readonly Endpoint<ScriptTools>[] = [
  endpoint(CHANGE_SCRIPT, async (tools: ScriptTools, call) => {
    const script = readScriptRequest(call.body);
    const refused = await changeAcquirerScript(tools, callerOf(call).merchantId, script);
    if (refused !== null) return refusalAnswer(SCRIPT_REFUSALS[refused.refusal], call.language);
    return { status: 200, body: writeScript(script) };
  }),
  endpoint(READ_SCRIPT, async (tools: ScriptTools, call) => {
    const left = await readAcquirerScript(tools, callerOf(call).merchantId);
    if ('refusal' in left) return refusalAnswer(SCRIPT_REFUSALS[left.refusal], call.language);
    return { status: 200, body: writeScript(left) };
  }),
];
