import { callerOf, type Route, route } from '../platform/http/endpoint.ts';
import { CREATE_ANTI_FRAUD_CODE } from './contract.ts';
import { type CreateCodeTools, createAntiFraudCode } from './create-anti-fraud-code.ts';

export function antiFraudRoutes(tools: CreateCodeTools): Route[] {
  return [
    route(CREATE_ANTI_FRAUD_CODE, async (call) => {
      const { ipAddress = null, deviceId = null } = call.body;
      const { merchantId } = callerOf(call);
      const told = { ipAddress, deviceId };
      const codeAntiFraud = await createAntiFraudCode(tools, merchantId, told, call.deadlineAt);
      return { status: 200, body: { codeAntiFraud } };
    }),
  ];
}
