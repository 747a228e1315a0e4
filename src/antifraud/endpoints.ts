import { callerOf, type Endpoint, endpoint } from '../platform/http/endpoint.ts';
import { writeOnce } from '../platform/http/refusal.ts';
import { CREATE_ANTI_FRAUD_CODE } from './contract.ts';
import { type CreateCodeTools, createAntiFraudCode } from './create-anti-fraud-code.ts';

export const ANTI_FRAUD_ENDPOINTS: readonly Endpoint<CreateCodeTools>[] = [
  endpoint(CREATE_ANTI_FRAUD_CODE, async (tools: CreateCodeTools, call) => {
    const { ipAddress = null, deviceId = null } = call.body;
    const { merchantId } = callerOf(call);
    const visitor = { ipAddress, deviceId };
    const once = await createAntiFraudCode(tools, merchantId, visitor, call, call.deadlineAt);
    return writeOnce(call, once, (codeAntiFraud) => ({ status: 200, body: { codeAntiFraud } }));
  }),
];
