import type { Audit } from '../../audit/audit-event.ts';
import { serve } from '../../platform/http/endpoint.ts';
import type { Module, ModuleContext, Published } from '../../platform/module.ts';
import type { Webhooks } from '../../webhooks/module.ts';
import {
  EXCEPTION_MESSAGES,
  EXCEPTION_NOTIFIER_ENDPOINTS,
  EXCEPTION_NOTIFIER_REFUSALS,
} from './endpoints.ts';

import { notifierChangesWrite } from './exception-notifiers.sql.ts';

export const EXCEPTION_NOTIFIERS: Published = {
  messages: EXCEPTION_MESSAGES,
  endpoints: EXCEPTION_NOTIFIER_ENDPOINTS,
  refusals: [
    {
      title: 'Notifiers of exceptions',
      text: 'Why an address is not notified of exceptions.',
      refusals: EXCEPTION_NOTIFIER_REFUSALS,
    },
  ],
};

export type NotifierContext = ModuleContext & { readonly audit: Audit };

export type BelowNotifier = {
  readonly webhooks: Pick<Webhooks, 'urlRules' | 'registrationLimit' | 'rememberCallbackEndpoint'>;
};

/** Where merchants are notified of exceptions. */
export function openNotifier(context: NotifierContext, { webhooks }: BelowNotifier): Module {
  const { lookUp, batched, clock, audit } = context;
  return {
    endpoints: serve(EXCEPTION_NOTIFIER_ENDPOINTS, {
      lookUp,
      clock,
      urlRules: webhooks.urlRules,
      registrationLimit: webhooks.registrationLimit,
      rememberCallbackEndpoint: webhooks.rememberCallbackEndpoint,
      writeNotifierChange: batched(notifierChangesWrite(audit)),
    }),
    works: [],
    clockedWork: [],
  };
}
