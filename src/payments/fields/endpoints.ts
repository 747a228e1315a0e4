import type { Audit } from '../../audit/audit-event.ts';
import type { BusinessClock } from '../../platform/business-clock.ts';
import { newPageKey } from '../../platform/chance.ts';
import { callerAt, callerOf, type Endpoint, endpoint } from '../../platform/http/endpoint.ts';
import { FAILURES } from '../../platform/http/failures.ts';
import { refusalAnswer } from '../../platform/http/refusal.ts';
import type { LookUp } from '../../platform/postgres/searches.ts';
import type { CallRules } from '../../webhooks/posting/url-rules.ts';
import { findCardFields, putCardFields } from './card-fields.sql.ts';
import { originsFault } from './card-fields.ts';
import { GET_FIELDS, ORIGIN_FAULTS, PUT_FIELDS, writeFields } from './contract.ts';

export type CardFieldsTools = {
  readonly audit: Audit;
  readonly clock: BusinessClock;
  readonly lookUp: LookUp;
  readonly callRules: CallRules;
  /** By the settings; null: not set. */
  readonly pagesOrigin: string | null;
  /** Null if the service has no cells. */
  readonly cell: string | null;
};

export const CARD_FIELDS_ENDPOINTS: readonly Endpoint<CardFieldsTools>[] = [
  endpoint(PUT_FIELDS, async (tools: CardFieldsTools, call) => {
    const { audit, clock, callRules, cell, pagesOrigin } = tools;
    const actor = callerAt(call);
    const origins = [...new Set(call.body.origins)];
    const fault = originsFault(origins, { takesHttp: callRules.takesHttp, ours: pagesOrigin });
    if (fault !== null) return refusalAnswer(ORIGIN_FAULTS[fault], call.language);
    const wanted = { merchantId: actor.merchantId, pageKey: newPageKey(), origins };
    const fields = await putCardFields(audit, wanted, actor, clock.now(actor.merchantId));
    return { status: 200, body: writeFields(fields, call.pagesOrigin(), cell) };
  }),
  endpoint(GET_FIELDS, async ({ lookUp, cell }: CardFieldsTools, call) => {
    const { merchantId } = callerOf(call);
    const fields = await lookUp(merchantId, (database) => findCardFields(database, merchantId));
    if (fields === null) return refusalAnswer(FAILURES.unknownPath, call.language);
    return { status: 200, body: writeFields(fields, call.pagesOrigin(), cell) };
  }),
];
